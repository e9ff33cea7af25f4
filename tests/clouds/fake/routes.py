"""A table of routes for the fakes with REST APIs: method and path -> function, with the query parameters and body fields that it knows."""

import re


class Route:
    """One call. path has parts such as {id}; query and body are the names that are accepted (body None: none is sent)."""

    def __init__(self, name, method, path, function, query=(), body=None):
        self.name, self.method, self.path, self.function, self.query, self.body = name, method, path, function, frozenset(query), body
        self.pattern = re.compile("^" + re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + "$")


class Routes:
    """All routes of a service."""

    def __init__(self, routes):
        self.routes = list(routes)

    def find(self, method, path):
        """(route, path parameters) or (None, None)."""
        for route in self.routes:
            if route.method == method and (found := route.pattern.match(path)):
                return route, found.groupdict()
        return None, None

    def has_path(self, path):
        """Is there a route of any method?"""
        return any(route.pattern.match(path) for route in self.routes)
