"""Fakes of cloud providers as fixtures: each is a process of its own, checked and ended when its test is over."""

import pathlib
import sys

import oracles
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # pylib, for all here
from pylib.clouds import Fake  # noqa: E402


def running(cloud, tmp_path):
    """The body of each fixture."""
    record = tmp_path / f"{cloud}.requests"
    with Fake(cloud, record=record) as fake:
        yield fake
        fake.check()
    if cloud == "aws" and not fake.unknown_expected:
        assert not oracles.judge_aws(oracles.read_record(record))


@pytest.fixture
def fake_aws(tmp_path):
    """AWS with the key AKIDTEST."""
    yield from running("aws", tmp_path)


@pytest.fixture
def fake_gcd(tmp_path):
    """Google Compute Engine with a project and a service account."""
    yield from running("gcd", tmp_path)


@pytest.fixture
def fake_digital_ocean(tmp_path):
    """DigitalOcean with one token."""
    yield from running("digitalOcean", tmp_path)


@pytest.fixture
def fake_openstack(tmp_path):
    """OpenStack with two regions and an application credential."""
    yield from running("openstack", tmp_path)
