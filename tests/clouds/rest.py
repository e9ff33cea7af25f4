"""Plain clients for the fakes: HTTP on a kept connection, boto3 without retries, and the token of a Google service account."""

import http.client
import json
import time
import urllib.parse

import boto3
import botocore.config
import jwt

GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


class Rest:
    """JSON over HTTP. A call returns (status, body); .headers are those of the last answer."""

    def __init__(self, port, token=None, base=""):
        self.port, self.base, self.headers = port, base, {}
        self.common = {"Authorization": f"Bearer {token}"} if token else {}
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=240)

    def __call__(self, method, path, body=None, **headers):
        raw = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        content = {"Content-Type": "application/json"} if raw is not None else {}
        try:
            self.connection.request(method, self.base + path, raw, {**self.common, **content, **headers})
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            raise
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        if answer.status != 204 and "content-length" not in self.headers:
            # The head was cut between two of its lines, which nobody can tell from an answer that ends with its connection.
            raise http.client.IncompleteRead(text)
        try:
            return answer.status, json.loads(text) if text else None
        except ValueError:
            return answer.status, text


def digital_ocean(fake):
    """A client of the DigitalOcean fake."""
    return Rest(fake.port, fake.credential.strip(), "/v2")


def google_assertion(fake, at=None, **changes):
    """The signed assertion of the service account, as a form."""
    account, now = json.loads(fake.credential), int(time.time() if at is None else at)
    claims = {"iss": account["client_email"], "scope": "https://www.googleapis.com/auth/compute", "aud": account["token_uri"],
              "iat": now, "exp": now + 3600, **changes}
    assertion = jwt.encode(claims, account["private_key"], algorithm="RS256")
    return urllib.parse.urlencode({"grant_type": GRANT, "assertion": assertion}).encode()


def google_token(fake, at=None, **changes):
    """(status, answer) of the token endpoint."""
    return Rest(fake.port)("POST", "/token", google_assertion(fake, at, **changes), **{"Content-Type": "application/x-www-form-urlencoded"})


def google(fake):
    """A client of the gcd fake."""
    status, answer = google_token(fake)
    assert status == 200, answer
    return Rest(fake.port, answer["access_token"], "/compute/v1/projects/")


def aws(fake, service="ec2", region="eu-west-1", keys=("AKIDTEST", "secrettest"), token=None, **options):
    """A boto3 client of the AWS fake that never sends a request again by itself."""
    config = botocore.config.Config(retries={"max_attempts": 0, "mode": "standard"}, read_timeout=30, **options)
    return boto3.client(service, region_name=region, endpoint_url=fake.endpoint, aws_access_key_id=keys[0], aws_secret_access_key=keys[1],
                        aws_session_token=token, config=config)
