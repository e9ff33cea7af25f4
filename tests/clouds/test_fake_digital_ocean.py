"""The DigitalOcean fake is as strict as the provider: tags, pages, actions, volumes, limits."""

import pytest
import rest

BODY = {"name": "n1-0123456789ab", "region": "nyc1", "size": "s-1vcpu-1gb", "image": "debian-12-x64"}


@pytest.fixture
def ask(fake_digital_ocean):
    """A client."""
    return rest.digital_ocean(fake_digital_ocean)


def create(ask, **more):
    """A new droplet, and the id of its action."""
    status, answer = ask("POST", "/droplets", {**BODY, **more})
    assert status == 202, answer
    return answer["droplet"], answer["links"]["actions"][0]["id"]


def names(ask, query=""):
    """The names in one page of a listing."""
    return [droplet["name"] for droplet in ask("GET", "/droplets?" + query)[1]["droplets"]]


def test_a_droplet_from_create_to_delete(ask, fake_digital_ocean):
    droplet, action = create(ask, tags=["reeve:c:abc"], ssh_keys=[512189], user_data="#!/bin/sh\n")
    assert (droplet["status"], droplet["networks"]["v4"]) == ("new", [])
    fake_digital_ocean.wait(lambda state: state["machines"][0]["state"] == "active")
    assert ask("GET", f"/actions/{action}")[1]["action"]["status"] == "completed"
    row = ask("GET", f"/droplets/{droplet['id']}")[1]["droplet"]
    assert {each["type"] for each in row["networks"]["v4"]} == {"private", "public"} and row["tags"] == ["reeve:c:abc"]
    assert ask("DELETE", f"/droplets/{droplet['id']}") == (204, None)
    assert ask("DELETE", f"/droplets/{droplet['id']}")[1]["id"] == "not_found"
    # The tag outlives it.
    assert [tag["name"] for tag in fake_digital_ocean.state()["tags"]] == ["reeve:c:abc"]
    assert ask("DELETE", "/tags/REEVE:c:abc")[0] == 204 and not fake_digital_ocean.state()["tags"]


def test_a_repeated_create_makes_a_second_droplet_and_is_counted(ask, fake_digital_ocean):
    create(ask, tags=["reeve:token:t1"])
    create(ask, tags=["reeve:token:t1"])
    assert [each["token"] for each in fake_digital_ocean.state()["duplicates"]] == ["t1"]
    fake_digital_ocean.duplicates_expected = True


def test_without_public_networking_there_is_one_address(ask, fake_digital_ocean):
    droplet, _ = create(ask, public_networking=False)
    fake_digital_ocean.wait(lambda state: state["machines"][0]["state"] == "active")
    assert [each["type"] for each in ask("GET", f"/droplets/{droplet['id']}")[1]["droplet"]["networks"]["v4"]] == ["private"]


@pytest.mark.parametrize("change, text", [
    ({"region": "mars1"}, "region"), ({"region": "nyc2"}, "not available"), ({"size": "huge"}, "size"), ({"image": "debian-1"}, "image"),
    ({"region": "fra1", "size": "s-1vcpu-512mb-10gb"}, "not available"), ({"name": "under_score"}, "hostname"),
    ({"ssh_keys": [1]}, "key identifiers"), ({"tags": ["a/b"]}, "Tag"), ({"tags": ["x" * 256]}, "Tag"),
    ({"user_data": "x" * 65537}, "User data"), ({"vpc_uuid": "none"}, "VPC"), ({"volumes": ["none"]}, "volume"), ({"region": None}, "Region")])
def test_create_refuses(ask, fake_digital_ocean, change, text):
    status, answer = ask("POST", "/droplets", {**BODY, **change})
    assert (status, answer["id"]) == (422, "unprocessable_entity") and text in answer["message"]
    assert not fake_digital_ocean.state()["machines"]


def test_limits_are_reported_as_the_provider_does(ask, fake_digital_ocean):
    fake_digital_ocean.faults(quota=0)
    assert "droplet limit" in ask("POST", "/droplets", BODY)[1]["message"]
    assert ask("GET", "/account")[1]["account"]["droplet_limit"] == 0
    fake_digital_ocean.faults(quota=None, capacity={"nyc1/s-1vcpu-1gb": 0})
    assert "not available" in ask("POST", "/droplets", BODY)[1]["message"]


def test_tags_have_no_case(ask, fake_digital_ocean):
    ask("POST", "/tags", {"name": "Reeve:C:x"})
    create(ask, tags=["reeve:c:X"])
    assert names(ask, "tag_name=REEVE:C:X") == [BODY["name"]]
    assert ask("GET", "/droplets")[1]["droplets"][0]["tags"] == ["Reeve:C:x"]
    assert names(ask, "name=N1-0123456789AB") == [BODY["name"]] and names(ask, "name=n1") == []
    assert len(fake_digital_ocean.state()["tags"]) == 1
    fake_digital_ocean.faults(other_case=True)
    create(ask, name="b", tags=["fresh"])
    assert ask("GET", "/droplets?name=b")[1]["droplets"][0]["tags"] == ["FRESH"]


def test_tags_come_after_the_droplet(ask, fake_digital_ocean):
    fake_digital_ocean.faults(tag_lag_ms=60000)
    create(ask, tags=["reeve:c:x"])
    assert names(ask, "tag_name=reeve:c:x") == [] and names(ask, "name=" + BODY["name"]) == [BODY["name"]]


def test_name_and_tag_name_cannot_be_combined(ask, fake_digital_ocean):
    assert ask("GET", "/droplets?name=a&tag_name=b")[0] == 422
    fake_digital_ocean.unknown_expected = True


def test_page_numbers_shift(ask):
    ids = [create(ask, name=f"n{i}")[0]["id"] for i in range(5)]
    first = ask("GET", "/droplets?per_page=2")[1]
    assert first["meta"]["total"] == 5 and "page=2" in first["links"]["pages"]["next"] and "prev" not in first["links"]["pages"]
    ask("DELETE", f"/droplets/{ids[0]}")
    # n2 moved to the first page meanwhile, so that a reader of page 2 never sees it; the total gives it away.
    second = ask("GET", "/droplets?per_page=2&page=2")[1]
    assert [each["name"] for each in second["droplets"]] == ["n3", "n4"] and second["meta"]["total"] == 4
    assert ask("GET", "/droplets?per_page=201")[0] == 422


def test_a_listing_lags_but_a_droplet_by_its_number_does_not(ask, fake_digital_ocean):
    fake_digital_ocean.faults(lag_ms=60000)
    droplet, _ = create(ask)
    assert names(ask) == [] and names(ask, "name=" + BODY["name"]) == []
    assert ask("GET", f"/droplets/{droplet['id']}")[0] == 200
    fake_digital_ocean.faults(lag_by_id=True)
    assert ask("GET", f"/droplets/{droplet['id']}")[0] == 404


def test_a_create_that_fails_later(ask, fake_digital_ocean):
    fake_digital_ocean.faults(fail_later=1, boot_ms=1)
    droplet, action = create(ask)
    fake_digital_ocean.wait(lambda state: not state["alive"])
    assert ask("GET", f"/actions/{action}")[1]["action"]["status"] == "errored"
    assert ask("GET", f"/droplets/{droplet['id']}")[0] == 404


def test_actions(ask, fake_digital_ocean):
    fake_digital_ocean.faults(boot_ms=3600000)
    droplet, _ = create(ask, name="slow")
    assert "pending event" in ask("POST", f"/droplets/{droplet['id']}/actions", {"type": "power_cycle"})[1]["message"]
    ask("DELETE", f"/droplets/{droplet['id']}")
    fake_digital_ocean.faults(boot_ms=1)
    droplet, _ = create(ask)
    path = f"/droplets/{droplet['id']}/actions"
    fake_digital_ocean.wait(lambda state: state["alive"] and state["machines"][-1]["state"] == "active")
    assert ask("POST", path, {"type": "power_on"})[0] == 422 and ask("POST", path, {"type": "explode"})[0] == 422
    action = ask("POST", path, {"type": "power_cycle"})[1]["action"]
    fake_digital_ocean.wait(lambda state: state["machines"][-1]["reboots"] == 1)
    assert ask("GET", f"{path}/{action['id']}")[1]["action"]["status"] == "completed"
    fake_digital_ocean.end(droplet["id"], "stop")
    assert ask("GET", f"/droplets/{droplet['id']}")[1]["droplet"]["status"] == "off"
    assert ask("POST", path, {"type": "power_on"})[0] == 201


def test_labels_are_tags(ask, fake_digital_ocean):
    droplet, _ = create(ask)
    body = {"resources": [{"resource_id": str(droplet["id"]), "resource_type": "droplet"}]}
    assert ask("POST", "/tags/x/resources", body)[0] == 404
    assert ask("POST", "/tags", {"name": "x"})[0] == 201 and ask("POST", "/tags/x/resources", body)[0] == 204
    assert ask("GET", "/tags/x")[1]["tag"]["resources"]["droplets"]["count"] == 1
    assert ask("DELETE", "/tags/X/resources", body)[0] == 204 and fake_digital_ocean.state()["machines"][0]["tags"] == {}
    body["resources"][0]["resource_id"] = droplet["id"]
    assert ask("POST", "/tags/x/resources", body)[0] == 422


def test_volumes_outlive_droplets(ask, fake_digital_ocean):
    fake_digital_ocean.faults(operation_ms=1)
    droplet, _ = create(ask)
    fake_digital_ocean.wait(lambda state: state["machines"][0]["state"] == "active")
    wanted = {"name": "reeve-1", "region": "nyc1", "size_gigabytes": 10, "tags": ["reeve:c:x"]}
    volume = ask("POST", "/volumes", wanted)[1]["volume"]
    assert ask("POST", "/volumes", wanted)[1]["id"] == "conflict"
    assert ask("POST", "/volumes", {**wanted, "name": "Reeve_2"})[0] == 422
    assert ask("POST", f"/volumes/{volume['id']}/actions", {"type": "attach", "droplet_id": droplet["id"], "region": "nyc1"})[0] == 202
    fake_digital_ocean.wait(lambda state: state["disks"][0]["machine"])
    assert ask("GET", "/volumes?name=reeve-1&region=nyc1")[1]["volumes"][0]["droplet_ids"] == [droplet["id"]]
    assert ask("DELETE", f"/volumes/{volume['id']}")[0] == 409
    ask("DELETE", f"/droplets/{droplet['id']}")
    assert ask("GET", f"/volumes/{volume['id']}")[1]["volume"]["droplet_ids"] == []
    assert ask("DELETE", f"/volumes/{volume['id']}")[0] == 204 and not fake_digital_ocean.state()["disks"]


def test_buckets_and_their_headers(ask, fake_digital_ocean):
    fake_digital_ocean.faults(buckets=True)
    answers = []
    while 429 not in answers and len(answers) < 100:
        answers.append(ask("GET", "/account/keys")[0])
    assert answers[:10] == [200] * 10 and answers[-1] == 429
    assert int(ask.headers["retry-after"]) >= 1 and int(ask.headers["ratelimit-remaining"]) == 0
    assert ask("GET", "/account")[0] == 200 and int(ask.headers["ratelimit-limit"]) == 5000 > int(ask.headers["ratelimit-remaining"]) > 4900


def test_the_token_is_checked(fake_digital_ocean):
    assert rest.Rest(fake_digital_ocean.port, "wrong")("GET", "/v2/account") == (401, {
        "id": "unauthorized", "message": "Unable to authenticate you", "request_id": "4d9d8375-3c56-4925-a3e7-eb137fed17e9"})
    fake_digital_ocean.faults(credentials=["other"])
    assert rest.Rest(fake_digital_ocean.port, "other")("GET", "/v2/account")[0] == 200
    assert rest.digital_ocean(fake_digital_ocean)("GET", "/account")[0] == 401


@pytest.mark.parametrize("method, path, body, status", [
    ("POST", "/droplets", {**BODY, "colour": "red"}, 422), ("GET", "/droplets?colour=red", None, 422), ("GET", "/colours", None, 404),
    ("PUT", "/droplets", None, 405), ("POST", "/droplets", b"{", 422)])
def test_what_the_model_does_not_know_is_refused_and_counted(ask, fake_digital_ocean, method, path, body, status):
    assert ask(method, path, body)[0] == status
    assert len(fake_digital_ocean.state()["unknown"]) == 1
    fake_digital_ocean.unknown_expected = True


def test_the_catalog(ask):
    sizes = [size["slug"] for size in ask("GET", "/sizes?per_page=200")[1]["sizes"]]
    assert "s-1vcpu-1gb" in sizes and "gpu-h100x1-80gb" in sizes
    create(ask, name="gpu", size="gpu-h100x1-80gb", region="nyc3")
    assert names(ask) == [] and names(ask, "type=gpus") == ["gpu"]
    assert ask("GET", "/images/debian-12-x64")[1]["image"]["slug"] == "debian-12-x64"
    assert {image["type"] for image in ask("GET", "/images?type=distribution")[1]["images"]} == {"base"}
    assert [key["name"] for key in ask("GET", "/account/keys")[1]["ssh_keys"]] == ["mwas", "ops"]
    create(ask, tags=["fw-web"])
    assert [len(each["droplet_ids"]) for each in ask("GET", "/firewalls")[1]["firewalls"]] == [1, 0]
    assert ask("GET", "/vpcs")[1]["meta"]["total"] == 5
