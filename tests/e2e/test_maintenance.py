"""What cannot be taken out of service is refused: reeve does not log in to it."""

from manager import Manager, reeve, until


def test_a_node_without_a_login_is_not_drained(tmp_path):
    """A job about it would end at once, as if it had been drained."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        manager.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 2, "resourcePlugin": {"name": "sim"}}}})
        until(lambda: len(manager.get("/v1/nodes?cluster=shop&selector=state%3Dready").json["items"]) == 2 or None, lambda: manager.log.read_text())
        answer = manager.ask("POST", "/v1/nodegroups/shop/web/jobs", {"verb": "drain", "nodes": "web-0"})
        assert answer.status >= 400 and "does not log in to the machine" in answer.text, answer.text
        assert "does not log in to the machine" in reeve(manager, "drain", "shop/web-0", code=4)
        assert manager.get("/v1/jobs?cluster=shop").json["items"][0]["status"].get("verb") != "drain"
