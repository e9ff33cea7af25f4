"""The first seed's sample, end to end against fakes of its clouds (CLOUDS.md section 10, K33)."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from manager import REEVED, Manager, until  # noqa: E402

REEVE = REEVED.parent / "reeve"


class Cloudy:
    """A manager whose plugins may reach fakes, with an account `prod-PLUGIN` at each."""

    def __init__(self, folder, **fakes):
        self.folder, self.fakes = folder, fakes
        configuration = folder / "reeved.yaml"
        rows = ", ".join(f"{name}: ['127.0.0.1:{fake.port}']" for name, fake in fakes.items())
        configuration.write_text(f"endpoints: {{{rows}}}\n")
        self.manager = Manager(folder, "--config", str(configuration), "--haste", "50", control=True)

    def __enter__(self):
        self.manager.__enter__().start()
        for name, fake in self.fakes.items():
            self.manager.apply({"kind": "Secret", "name": f"prod-{name}".lower(), "value": fake.credential},
                               {"kind": "Account", "name": f"prod-{name}".lower(), "plugin": name, "secret": f"prod-{name}".lower(),
                                "settings": fake.settings})
        return self

    def __exit__(self, *ends):
        return self.manager.__exit__(*ends)

    def reeve(self, *words, text=None):
        """Exit code and both outputs of the command line."""
        done = subprocess.run([str(REEVE), *words], input=text, timeout=120, capture_output=True, text=True, check=False,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder), "COLUMNS": "200"})
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def cloudy(tmp_path, fake_aws):
    """All of it."""
    with Cloudy(tmp_path, aws=fake_aws) as one:
        yield one


AWS = """name: shop
version: "1"
groups:
  web:
    size: 2
    resourcePlugin: {name: aws, account: prod-aws}
    resourceProperties: {key: mwas, instanceType: t2.small, image: debian}
"""


def test_aws(cloudy, fake_aws):
    code, out, err = cloudy.reeve("plan", "-f", "-", text=AWS)
    print(code, out, err)
    code, out, err = cloudy.reeve("apply", "--yes", "-f", "-", text=AWS)
    print(code, out, err)
    code, out, err = cloudy.reeve("get", "nodes", "-o", "wide")
    print(code, out, err)
    print(fake_aws.state())
    print((cloudy.folder / "log").read_text()[-3000:])
    assert 0
