#!/usr/bin/env python3
"""Write the web page as C: embed.py OUT.c DEPFILE WEB LIBRARIES VERBS

WEB is the folder with reeve's files, LIBRARIES the folder that tools/web-libraries fills. Without
libraries the page cannot run, and the output has only without.html, under the name index.html.
VERBS is the command line's table (src/cli/args/verbs.def), which becomes a module of the page.
"""
import gzip
import hashlib
import json
import os
import re
import sys

# Names of libraries in imports, and the file of each library in its package.
LIBRARIES = {
    "preact": "preact/dist/preact.module.js",
    "preact/hooks": "preact/hooks/dist/hooks.module.js",
    "htm": "htm/dist/htm.module.js",
    "@preact/signals-core": "@preact/signals-core/dist/signals-core.module.js",
    "@preact/signals": "@preact/signals/dist/signals.module.js",
}
LICENCES = ("preact", "htm", "@preact/signals-core", "@preact/signals")
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}
IMPORT = re.compile(r"""((?:(?<=[}*])|(?<=[}\w] ))from\s*|(?:^|;)import\s*)(["'])((?![./])[^"']+)\2""", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?://.*|/\*[^/]*?\*/)[ \t]*$", re.MULTILINE)
FROM = re.compile(r"""(?:(?:(?<=[}*])|(?<=[}\w] ))from|(?:^|;)import)\s*["'](\.[^"']+)["']""", re.MULTILINE)
VERB = re.compile(r'^VERB\(\w+, \w+, "([^"]+)", "([^"]+)",\s+((?:"[^"]*"\s*)+),', re.MULTILINE)
VERBS_LEAST = 40
LITERAL_BYTES = 64


def library_file(name):
    """Return the path of a library in the page, such as lib/preact-hooks.js."""
    return "lib/" + name.replace("@", "").replace("/", "-") + ".js"


def imports_resolve(text, name):
    """Replace names of libraries by paths, because browsers cannot resolve such names.

    An import map would be an inline script, which the page's policy does not permit.
    """
    up = "../" * name.count("/") or "./"

    def resolve(match):
        if match[3] not in LIBRARIES:
            sys.exit(f"embed.py: {name} imports '{match[3]}', which is no library of the page")
        return f"{match[1]}{match[2]}{up}{library_file(match[3])}{match[2]}"

    return re.sub(r"//# sourceMappingURL=.*", "", IMPORT.sub(resolve, text))


def comments_drop(text):
    """Remove comments that have separate lines. The numbers of other lines do not change."""
    return COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)


def verbs_module(path):
    """Return a module with the verbs of the command line: name, help text and synopsis of each."""
    with open(path, encoding="utf-8") as file:
        rows = [(name, says, "".join(re.findall(r'"([^"]*)"', synopsis))) for name, says, synopsis in VERB.findall(file.read())]
    if len(rows) < VERBS_LEAST:
        sys.exit(f"embed.py: only {len(rows)} verbs were found in {path}: is it written otherwise now?")
    return f"export const verbs = {json.dumps(rows)};\n".encode()


def files_read(web, packages, verbs, seen):
    """Return the files of the page, as a map from name to bytes, and whether it is complete."""
    files = {}
    for folder, folders, names in os.walk(web):
        seen.append(folder)
        folders[:] = sorted(one for one in folders if one != "node_modules")
        for one in sorted(names):
            path = os.path.join(folder, one)
            name = os.path.relpath(path, web)
            if os.path.splitext(one)[1] in TYPES:
                seen.append(path)
                with open(path, "rb") as file:
                    files[name] = file.read()
                if name.endswith((".js", ".css")):
                    files[name] = comments_drop(files[name].decode()).encode()
    for name, path in LIBRARIES.items():
        path = os.path.join(packages, path)
        if not os.path.exists(path):
            return {"index.html": files["without.html"]}, False
        seen.append(path)
        with open(path, "rb") as file:
            files[library_file(name)] = file.read()
    seen.append(verbs)
    files["data/verbs.js"] = verbs_module(verbs)
    texts = []
    for name in LICENCES:
        with open(os.path.join(packages, name, "LICENSE"), encoding="utf-8") as file:
            texts.append(f"{name}\n\n{file.read()}\n")
    files["lib/licences.txt"] = "\n".join(texts).encode()
    del files["without.html"]
    for name in files:
        if name.endswith(".js") and name != "data/verbs.js":
            files[name] = imports_resolve(files[name].decode(), name).encode()
    return files, True


def first_modules(files):
    """Return the modules that main.js imports, directly or not, without dynamic imports."""
    found, ahead = set(), ["main.js"]
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += [os.path.normpath(os.path.join(os.path.dirname(name), path)) for path in FROM.findall(files[name].decode())]
    return sorted(found)


def start_make(files, folder):
    """Return index.html with the folder of this build, and preload links for its modules."""
    modules = first_modules(files)
    preloads = "\n".join(f'<link rel="modulepreload" href="/ui/{folder}/{name}">' for name in modules)
    text = files["index.html"].decode()
    return text.replace("<!-- modules -->", preloads).replace("FOLDER", folder).encode()


def pairs_write(table, name, pairs):
    """Write a table of pairs, and the number of its rows."""
    rows = "".join('    { "%s", "%s" },\n' % pair for pair in pairs)
    table.write(f"const struct page_pair page_table_{name[0]}[] = {{\n{rows}}};\n"
                f"const size_t page_table_{name[1]}_count = {len(pairs)};\n")


def literal(data):
    """Return the bytes as C string literals."""
    lines = []
    for at in range(0, len(data), LITERAL_BYTES):
        lines.append('      "' + "".join("\\%03o" % byte for byte in data[at:at + LITERAL_BYTES]) + '"')
    return "\n".join(lines)


def main():
    out, depfile, web, packages, verbs = sys.argv[1:]
    seen = [os.path.join(os.path.dirname(packages), "stamp")]
    files, is_whole = files_read(web, packages, verbs, seen)
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    folder = whole.hexdigest()[:16]
    made = {name for name in files if not os.path.exists(os.path.join(web, name))}
    if is_whole:
        files["index.html"] = start_make(files, folder)
    with open(out, "w", encoding="ascii") as table:
        table.write('/* Made by embed.py. */\n#include "page/table.h"\n\nconst struct page_file page_table[] = {\n')
        for name in sorted(files):
            data = gzip.compress(files[name], 9, mtime=0)
            digest = hashlib.sha256(data).hexdigest()
            table.write('    { "%s", "%s", "\\"%s\\"",\n      {\n%s,\n      %d }, %s },\n'
                        % (name, TYPES[os.path.splitext(name)[1]], digest, literal(data), len(data), str(name in made).lower()))
        table.write("};\nconst size_t page_table_count = %d;\nconst char *const page_table_folder = \"%s\";\n"
                    "const bool page_table_is_whole = %s;\n" % (len(files), folder, str(is_whole).lower()))
        pairs_write(table, ("types", "type"), list(TYPES.items()))
        pairs_write(table, ("libraries", "library"), [(name, library_file(name)) for name in LIBRARIES])
    with open(depfile, "w", encoding="utf-8") as file:
        file.write(f"{os.path.basename(out)}: " + " ".join(path.replace(" ", "\\ ") for path in seen) + "\n")


if __name__ == "__main__":
    main()
