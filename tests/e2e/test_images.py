"""The image repository: files by digest, with names, versions and tags.

Requirements: C3.
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile

import pytest

from manager import Manager, until

FILE = """version: "1"
name: dc
groups:
  box: {{size: 0, resourcePlugin: {{name: inventory}}, image: {}}}
"""


def tar_gz(content=b"kernel"):
    """A root file system, as far as a manager looks at it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        member = tarfile.TarInfo("vmlinuz")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return gzip.compress(out.getvalue(), mtime=0)


def digest(content):
    """Its name."""
    return hashlib.sha256(content).hexdigest()


def piece(manager, content, offset=0, length=None, name=None, size=None):
    """One piece of an upload."""
    part = content[offset:offset + length if length else None]
    return manager.ask("POST", f"/v1/image-files/{name or digest(content)}?bytes={size or len(content)}&offset={offset}", part,
                       Content_Type="application/octet-stream")


def done(run, code=0):
    """It ended so."""
    assert run.returncode == code, run.stdout + run.stderr
    return run


@pytest.fixture
def kept(tmp_path_factory):
    """A manager that can have groups of the inventory."""
    with Manager(tmp_path_factory.mktemp("m"), control=True).start() as manager:
        yield manager


@pytest.fixture
def say(kept, folder):
    """reeve against it."""
    from conftest import ENVIRONMENT, REEVE  # noqa: PLC0415

    def run(*words, code=0, **options):
        return done(subprocess.run([str(REEVE), *words], text=True, capture_output=True, check=False, cwd=folder, stdin=subprocess.DEVNULL,
                                   timeout=240, env={**ENVIRONMENT, "REEVE_URL": f"unix:{kept.socket}"}, **options), code)
    return run


def pushed(say, folder, content, name="debian-12", *words):
    """A version of an image."""
    (folder / "image.tar.gz").write_bytes(content)
    return say("image", "push", "image.tar.gz", "--name", name, *words)


def test_images_are_pushed_tagged_listed_and_verified(kept, say, folder):
    """Each push is a version by its digest; the newest is `latest`; a tag stays where it is."""
    assert "next: " in say("get", "images").stderr
    first, second = tar_gz(), tar_gz(b"another")
    assert f"image/debian-12 stored, sha256:{digest(first)[:12]}" in pushed(say, folder, first).stdout
    assert "has this version already" in pushed(say, folder, first).stdout
    assert f"image/debian-12:stable is sha256:{digest(first)[:12]}" in say("image", "tag", "debian-12", "stable").stdout
    pushed(say, folder, second, "debian-12:v2")
    rows = json.loads(say("get", "images", "-o", "json").stdout)
    assert [(one["digest"], one["tags"], one["format"], one["bytes"]) for one in rows] == [
        (digest(second), ["latest", "v2"], "tar.gz", len(second)), (digest(first), ["stable"], "tar.gz", len(first))], rows
    table = say("get", "images").stdout
    assert "latest, v2" in table and digest(first)[:12] in table and "NAME" in table, table
    assert say("get", "images", "-o", "name").stdout.split() == [f"image/debian-12@sha256:{digest(one)}" for one in (second, first)]
    for form in ("wide", "yaml", "jsonl", "csv", "tsv", "md"):
        assert digest(first)[:12] in say("get", "image/debian-12", "-o", form).stdout, form
    assert "ok: image/debian-12" in say("image", "verify", "debian-12:stable").stdout
    assert digest(first) in say("image", "verify", f"debian-12@sha256:{digest(first)[:12]}", "-o", "json").stdout
    assert (kept.folder / "data/images" / digest(first)).read_bytes() == first
    types = [one["type"] for one in kept.get("/v1/events?limit=100").json["items"]]
    assert types.count("image.pushed") == 3 and types.count("image.tagged") == 1, types


def test_a_group_names_an_image_that_exists(kept, say, folder):
    """Else the place in the file, and what there is."""
    pushed(say, folder, tar_gz())
    (folder / "dc.yaml").write_text(FILE.format("debian-21"))
    printed = say("apply", "--yes", "-f", "dc.yaml", code=3).stderr
    assert "dc.yaml:4:" in printed and "image 'debian-21' does not exist" in printed and "did you mean 'debian-12'" in printed, printed
    (folder / "dc.yaml").write_text(FILE.format("debian-12:beta"))
    assert "image 'debian-12' has no tag 'beta'" in say("apply", "--yes", "-f", "dc.yaml", code=3).stderr
    (folder / "dc.yaml").write_text(FILE.format("debian-12"))
    say("apply", "--yes", "-f", "dc.yaml")
    assert json.loads(say("get", "images", "-o", "json").stdout)[0]["usedBy"] == ["dc/box"]


def test_gc_keeps_what_is_used(kept, say, folder):
    """The newest, those with a tag, and those of a group."""
    versions = [tar_gz(b"version %d" % i) for i in range(6)]
    for version in versions:
        pushed(say, folder, version)
    say("image", "tag", f"debian-12@sha256:{digest(versions[0])[:16]}", "first")
    (folder / "dc.yaml").write_text(FILE.format(f"\"debian-12@sha256:{digest(versions[1])}\""))
    say("apply", "--yes", "-f", "dc.yaml")
    printed = say("image", "gc", "debian-12", "--keep", "2", "--dry-run").stdout
    assert printed.count("would be removed") == 2 and digest(versions[2])[:12] in printed, printed
    say("image", "gc", "debian-12", "--keep", "2")
    left = {one["digest"] for one in json.loads(say("get", "images", "-o", "json").stdout)}
    assert left == {digest(versions[i]) for i in (0, 1, 4, 5)}, left
    assert "no version can be removed" in say("image", "gc", "debian-12", "--keep", "2").stderr
    assert "is not the name of an image" in say("image", "gc", "de bian", code=4).stderr
    assert "does not exist" in say("image", "gc", "ubuntu", code=4).stderr


def test_an_upload_is_continued_or_rejected(kept):
    """Where it ended, by the same tenant; and never under a wrong name."""
    image = tar_gz(os.urandom(300_000))
    assert piece(kept, image, 0, 100_000).json["have"] == 100_000
    assert piece(kept, image, 0, 100_000).json["have"] == 100_000  # it was sent twice
    assert piece(kept, image, 200_000, 1000).json["have"] == 100_000
    refused = kept.ask("POST", "/v1/images/debian-12", {"digest": digest(image)})
    assert refused.status == 422 and refused.code == "R0854" and "was not sent" in refused.text, refused.text
    assert piece(kept, image, 100_000).json["have"] == len(image)
    assert kept.ask("POST", "/v1/images/debian-12", {"digest": digest(image)}).status in (200, 201)
    assert piece(kept, image, 0, 10).json["have"] == len(image)  # it is there
    # bytes of another digest, and no tar
    wrong = piece(kept, image, name="0" * 64)
    assert wrong.status == 422 and wrong.code == "R0854" and "have the digest" in wrong.text, wrong.text
    for bad in (b"not an image", gzip.compress(b"x" * 2000), b"\x1f\x8b\x08" + bytes(100)):
        answer = piece(kept, bad)
        assert answer.status == 422 and "not a tar archive" in answer.text, answer.text
    assert sorted(os.listdir(kept.folder / "data/images")) == [digest(image)]
    for size, offset, name in ((10, 0, None), (0, 0, None), (len(image), 0, "xyz"), (1 << 60, 0, "1" * 64)):
        assert piece(kept, image, offset, name=name, size=size or "0").status in (400, 413, 422, 507), (size, offset, name)


def test_a_digest_gives_no_access(kept):
    """Another tenant sends all bytes itself."""
    image = tar_gz()
    assert piece(kept, image).json["have"] == len(image)
    assert kept.ask("POST", "/v1/images/debian-12", {"digest": digest(image)}).status in (200, 201)
    assert kept.ask("POST", "/v1/tenants", {"name": "other"}).status in (200, 201)
    refused = kept.ask("POST", "/v1/images/stolen", {"digest": digest(image)}, Reeve_Tenant="other")
    assert refused.status == 422 and "was not sent" in refused.text, refused.text
    sent = kept.ask("POST", f"/v1/image-files/{digest(image)}?bytes={len(image)}&offset=0", image, Content_Type="application/octet-stream",
                    Reeve_Tenant="other")
    assert sent.json["have"] == len(image), sent.text
    assert kept.ask("POST", "/v1/images/own", {"digest": digest(image)}, Reeve_Tenant="other").status in (200, 201)
    assert kept.ask("GET", "/v1/images", Reeve_Tenant="other").json["items"][0]["name"] == "own"


def test_a_damaged_file_is_found(kept, say, folder):
    """verify reads the bytes again, and the damaged file is gone, so that it can be pushed again."""
    pushed(say, folder, tar_gz())
    path = kept.folder / "data/images" / digest(tar_gz())
    path.chmod(0o600)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    printed = say("image", "verify", "debian-12", code=3).stderr
    assert "is damaged on this manager" in printed and not path.exists(), printed
    assert "image/debian-12 has this version already" in pushed(say, folder, tar_gz()).stdout
    assert path.read_bytes() == tar_gz()


def test_files_without_a_name_are_removed_after_a_while(tmp_path_factory):
    """Those that no image has, when they are old."""
    with Manager(tmp_path_factory.mktemp("m"), control=True).start() as manager:
        image, other = tar_gz(), tar_gz(b"left")
        folder = pathlib.Path(manager.folder / "data/images")
        for content in (image, other):
            assert piece(manager, content).json["have"] == len(content)
        assert manager.ask("POST", "/v1/images/debian-12", {"digest": digest(image)}).status in (200, 201)
        manager.stop()
        for path in folder.iterdir():
            os.utime(path, (path.stat().st_mtime - 7200,) * 2)
        manager.start()
        until(lambda: os.listdir(folder) == [digest(image)], manager.log.read_text)


def test_usage(say):
    """Words that miss something."""
    assert "needs the name of the image" in say("image", "push", "x.tar.zst", code=1 + 1).stderr
    assert "did you mean 'push'" in say("image", "pusch", "x", code=2).stderr
    assert "needs an image and a tag" in say("image", "tag", "debian-12", code=2).stderr
    assert "cannot be read" in say("image", "push", "nothing.tar.zst", "--name", "x", code=1).stderr
