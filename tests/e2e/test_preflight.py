"""Preflight (E25): before the first machine is created, the providers are asked whether they would create it."""
import json
import os
import shutil
import subprocess

import pytest

import plugin
from manager import REEVED, ROOT, Manager, until

REEVE = REEVED.parent / "reeve"
SOURCES = (ROOT / "tests/e2e/fixtures/preflight.c", ROOT / "plugins/file/machine.c")
SHOP = """name: shop
version: "1"
groups:
  web:
    resourcePlugin: {name: cloud, account: prod}
    image: %(image)s
    machineSize: %(size)s
    size: 2
  db:
    resourcePlugin: {name: cloud, account: prod}
    image: debian
    sshKey: %(key)s
    size: 1
"""
RIGHT = {"image": "debian", "size": "small", "key": "ops"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The plugin, built once."""
    folder = tmp_path_factory.mktemp("plugins")
    plugin.build(folder, "cloud", sources=SOURCES)
    return folder


@pytest.fixture
def manager(tmp_path, built):
    """A manager with the plugin and an account of it."""
    installed = tmp_path / "data/installed"
    installed.mkdir(parents=True, mode=0o700)
    (tmp_path / "data").chmod(0o700)
    shutil.copy(built / "cloud.so", installed)
    with Manager(tmp_path, "--haste", "100", control=True).start() as one:
        settings(one)
        yield one


def settings(manager, **values):
    """Write the account."""
    manager.apply({"kind": "Secret", "name": "prod", "value": "a\nb\n"},
                  {"kind": "Account", "name": "prod", "plugin": "cloud", "secret": "prod", "settings": values})


def reeve(manager, *words, text=None):
    """Exit code and both outputs of the command line."""
    done = subprocess.run([str(REEVE), *words], input=text, timeout=240, capture_output=True, text=True, check=False,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder), "COLUMNS": "200"})
    return done.returncode, done.stdout, done.stderr


def noted(manager, name):
    """The lines of a file of the plugin."""
    path = manager.folder / "data/plugins/default/cloud@prod" / name
    return path.read_text().split("\n")[:-1] if path.exists() else []


def machines(manager):
    """The number of machines that the plugin has."""
    return len(list((manager.folder / "data/plugins/default/cloud@prod").glob("default:*/*.json")))


def test_E25_all_faults_of_all_groups_are_reported_at_once_at_their_places_and_nothing_is_created(manager):
    wrong = SHOP % {"image": "none", "size": "huge", "key": "lost"}
    for verb in (("plan",), ("apply", "--yes")):
        code, out, err = reeve(manager, *verb, "-f", "-", text=wrong)
        assert code == 3, (code, out, err)
        assert err.count("R0606") == 3, err
        for line, column, message in ((6, 12, "there is no image 'none'"), (7, 18, "no machine is 'huge'"), (12, 13, "there is no key 'lost'")):
            assert f":{line}:{column}: " in err and message in err, err
    assert machines(manager) == 0
    assert manager.get("/v1/clusters/shop").status == 404


def test_E25_a_plan_shows_the_pinned_image_and_the_price_and_machines_are_made_of_that_image(manager):
    code, out, err = reeve(manager, "plan", "-f", "-", text=SHOP % RIGHT)
    assert code == 0, err
    assert "checked at cloud/prod, group shop/web; image is img-1; pricePerHour 0.02 USD" in out, out
    assert reeve(manager, "apply", "--yes", "-f", "-", text=SHOP % RIGHT)[0] == 0
    until(lambda: machines(manager) == 3)
    assert set(noted(manager, "pinned")) == {"img-1"}
    # The provider has a newer image: machines of this generation are still made of the pinned one.
    settings(manager, now="img-2")
    larger = SHOP.replace("size: 2", "size: 4")
    assert reeve(manager, "apply", "--yes", "-f", "-", text=larger % RIGHT)[0] == 0
    until(lambda: machines(manager) == 5)
    assert set(noted(manager, "pinned")) == {"img-1"}
    # Another generation has the newer one.
    code, out, err = reeve(manager, "apply", "--yes", "--allow", "replace=1", "-f", "-", text=larger % {**RIGHT, "key": "new"})
    assert code == 0, out + err
    until(lambda: "img-2" in noted(manager, "pinned"))


def test_E25_a_group_that_needs_no_machine_is_not_checked(manager):
    assert reeve(manager, "apply", "--yes", "-f", "-", text=SHOP % RIGHT)[0] == 0
    until(lambda: machines(manager) == 3)
    asked = len(noted(manager, "asked"))
    labelled = (SHOP % RIGHT).replace("size: 2", "size: 2\n    labels: {a: b}")
    assert reeve(manager, "apply", "--yes", "-f", "-", text=labelled)[0] == 0
    assert len(noted(manager, "asked")) == asked


def test_E25_a_provider_that_does_not_answer_is_a_warning_that_names_what_was_not_checked(manager):
    settings(manager, down=True)
    code, out, err = reeve(manager, "plan", "-f", "-", text=SHOP % RIGHT)
    assert code == 0 and "R0607" in err and "nothing could be checked: " in err and "the cloud does not answer" in err, (out, err)
    assert "not checked at cloud/prod, group shop/web" in out
    settings(manager, blind=True)
    code, out, err = reeve(manager, "plan", "-f", "-", text=SHOP % RIGHT)
    assert code == 0 and "the quota could not be read" in err and ":7:18: " in err, err


def test_E25_no_preflight_asks_nobody(manager):
    code, _, err = reeve(manager, "apply", "--yes", "--no-preflight", "-f", "-", text=SHOP % {**RIGHT, "image": "none"})
    assert code == 0 and not noted(manager, "asked"), err
    until(lambda: machines(manager) == 3)
    assert set(noted(manager, "pinned")) == {""}


def test_E25_an_account_that_the_same_change_creates_is_named_as_the_reason(manager):
    other = "kind: Account\nname: new\nplugin: cloud\nsecret: prod\n---\n" + (SHOP % RIGHT).replace("prod", "new")
    code, out, err = reeve(manager, "plan", "-f", "-", text=other)
    assert code == 0 and "the same change creates the account; apply the account first" in err, out + err
    assert "not checked at cloud/new, group shop/web" in out and not noted(manager, "asked")


def renewable(manager):
    """Apply the file with three machines, and give the provider a newer image of the same name."""
    assert reeve(manager, "apply", "--yes", "-f", "-", text=SHOP % RIGHT)[0] == 0
    until(lambda: machines(manager) == 3)
    settings(manager, now="img-2")


def test_C5_upgrade_lists_groups_whose_image_has_a_newer_one_by_the_same_name(manager):
    assert reeve(manager, "apply", "--yes", "-f", "-", text=SHOP % RIGHT)[0] == 0
    until(lambda: machines(manager) == 3)
    code, out, err = reeve(manager, "upgrade", "-o", "json")
    assert code == 0 and json.loads(out) == [] and "newest revision of its configuration, and of its image" in err, out + err
    settings(manager, now="img-2")
    code, out, err = reeve(manager, "upgrade", "-o", "json")
    assert code == 0 and json.loads(out) == [
        {"current": "img-1", "group": f"shop/{name}", "image": "debian", "newest": "img-2"} for name in ("db", "web")], out + err
    assert [line.split() for line in reeve(manager, "upgrade")[1].splitlines()][1][:4] == ["shop/db", "debian", "img-1", "img-2"]
    settings(manager, down=True)
    code, out, err = reeve(manager, "upgrade", "-o", "json")
    assert code == 0 and json.loads(out) == [] and "shop/web: its provider was not asked about 'debian': " in err, out + err


def test_C5_upgrade_to_the_same_name_renews_the_pinned_image_and_undo_returns_to_the_former_one(manager):
    renewable(manager)
    # The plan shows the machines that are replaced and the new image; nothing happens without consent.
    code, out, err = reeve(manager, "upgrade", "shop/web", "--image", "debian", "--dry-run")
    assert code == 0 and "imageAsOf" in out and "image is img-2" in out and "replace 2" in out, out + err
    assert reeve(manager, "upgrade", "shop/web", "--image", "debian", "--yes")[0] == 11
    assert set(noted(manager, "pinned")) == {"img-1"}
    code, out, err = reeve(manager, "upgrade", "shop/web", "--image", "debian", "--yes", "--allow", "replace=2")
    assert code == 0, out + err
    assert noted(manager, "pinned").count("img-2") == 2 and noted(manager, "pinned").count("img-1") == 3
    # Only the other group is left, and a second upgrade has nothing to do.
    assert [row["group"] for row in json.loads(reeve(manager, "upgrade", "-o", "json")[1])] == ["shop/db"]
    code, out, err = reeve(manager, "upgrade", "shop/web", "--image", "debian", "--yes")
    assert code == 0 and "nodegroup/shop/web has this image: 'debian' is still img-2" in err, out + err
    # The pin of the former generation is kept with its change: undo makes machines of img-1.
    code, out, err = reeve(manager, "undo", "shop/web", "--yes", "--allow", "replace=2")
    assert code == 0, out + err
    assert noted(manager, "pinned").count("img-1") == 5
    # A file that does not name the field keeps it.
    code, out, err = reeve(manager, "upgrade", "shop/web", "--image", "debian", "--yes", "--allow", "replace=2")
    assert code == 0, out + err
    code, out, err = reeve(manager, "plan", "-f", "-", text=SHOP % RIGHT)
    assert code == 0 and "replace 0" in out or "no difference" in out, out + err


def test_C5_upgrade_moves_groups_to_another_image(manager):
    renewable(manager)
    code, out, err = reeve(manager, "upgrade", "shop/web", "--image", "none", "--yes", "--allow", "replace=2")
    assert code == 3 and "there is no image 'none'" in err, out + err
    code, out, err = reeve(manager, "upgrade", "shop/web", "shop/db", "--image", "fedora", "--yes", "--allow", "replace=3")
    assert code == 0, out + err
    shop = manager.get("/v1/clusters/shop?view=export").json
    assert {shop["groups"][name]["image"] for name in ("web", "db")} == {"fedora"} and "imageAsOf" not in str(shop), shop
    # The defaults of the cluster are for groups without an image of their own.
    code, out, err = reeve(manager, "upgrade", "shop", "--image", "debian", "--yes")
    assert code == 0, out + err
    assert manager.get("/v1/clusters/shop").json["spec"]["defaults"]["image"] == "debian"


def test_C5_an_image_in_the_properties_of_the_plugin_is_changed_there(manager):
    own = SHOP.replace("image: debian", "resourceProperties: {image: debian}")
    assert reeve(manager, "apply", "--yes", "-f", "-", text=own % RIGHT)[0] == 0
    until(lambda: machines(manager) == 3)
    code, out, err = reeve(manager, "upgrade", "shop/db", "--image", "fedora", "--yes", "--allow", "replace=1")
    assert code == 0, out + err
    group = manager.get("/v1/nodegroups/shop%2Fdb").json["spec"]
    assert group["resourceProperties"]["image"] == "fedora" and "image" not in group, group


def test_C5_upgrade_names_what_cannot_be_moved_to_an_image(manager):
    renewable(manager)
    code, _, err = reeve(manager, "upgrade", "shop/web-0", "--image", "fedora", "--yes")
    assert code == 2 and "--image applies to groups, and there is no group 'shop/web-0'" in err and "reeve replace shop/web-0" in err, err
    code, _, err = reeve(manager, "upgrade", "lost", "--image", "fedora", "--yes")
    assert code == 4, err
    code, _, err = reeve(manager, "upgrade", "-l", "tier=gold", "--image", "fedora", "--yes")
    assert code == 4 and "no group matches 'tier=gold'" in err, err
    settings(manager, down=True)
    code, _, err = reeve(manager, "upgrade", "shop/web", "--image", "debian", "--yes")
    assert code == 7 and "its provider was not asked what 'debian' stands for" in err, err
