"""Did you mean: 200 slips of the hand (typos.txt), of which at least 95 % find the right word."""
import pathlib
import re

import pytest

ROWS = [line.rstrip("\n").split("\t")
        for line in (pathlib.Path(__file__).parent / "typos.txt").read_text().splitlines()
        if line and not line.startswith("#")]

GROUP = 'version: "1"\nname: a\ngroups:\n  web:\n    size: 1\n    resourcePlugin: {name: local}\n'


def command_of(typo, context):
    """(arguments, document for standard input or None) with which the slip happens."""
    words = context.split()
    if words[0] == "verb":
        return [typo], None
    if words[0] == "flag":
        return [words[1], "--" + typo], None
    if words[0] == "value":
        return [words[1], f"{words[2]}={typo}"], None
    if words[0] == "kind":
        return ["explain", typo], None
    if words[0] == "explain":
        return ["explain", f"{words[1]}.{typo}"], None
    if words[0] == "topic":
        return ["help", typo], None
    if words[0] == "example":
        return ["init", "--example", typo], None
    document = GROUP
    if context == "group field":
        document += f"    {typo}: x\n"
    elif context == "cluster field":
        document += f"{typo}: x\n"
    elif words[1] in ("sshTrust", "barrier"):
        document += f"{words[1]}: {typo}\n"
    else:
        document += f"    {words[1]}: {typo}\n"
    return ["validate", "-f", "-"], document


def suggested(text):
    """The words reeve offers, without what stands around them: 'reeve help env' is env."""
    found = re.findall(r"did you mean '([^']*)'", text)
    return {word.split()[-1].split(".")[-1].removeprefix("--").lower() for word in found}


def test_corpus_is_large_and_without_doubles():
    assert len(ROWS) >= 200
    assert len({(row[0], row[1]) for row in ROWS}) == len(ROWS)
    assert all(row[0] != row[2] for row in ROWS)


def test_95_of_100_find_the_word(reeve):
    missed = []
    for typo, context, expected in ROWS:
        arguments, document = command_of(typo, context)
        run = reeve(*arguments, **({"input": document} if document else {}))
        assert run.returncode in (2, 3), (typo, context, run.stdout)
        if expected.lower() not in suggested(run.stderr):
            missed.append((typo, context, expected, run.stderr))
    share = 1 - len(missed) / len(ROWS)
    print(f"\n{len(ROWS) - len(missed)} of {len(ROWS)}: {100 * share:.1f} %")
    for miss in missed:
        print(*miss, sep="\t")
    assert share >= 0.95


@pytest.mark.parametrize("word", ["resize", "update", "rollback", "destroy", "remove", "provision", "ls",
                                  "ps", "inspect", "run"])
def test_words_of_other_tools_lead_to_ours(reeve, word):
    run = reeve(word, "shop/web", "4")
    assert run.returncode == 2
    assert f"error[R0009]: reeve has no '{word}'" in run.stderr
    assert re.search(r'hint: did you mean "reeve \w+', run.stderr)


def test_nothing_is_suggested_that_is_not_near(reeve):
    assert "did you mean" not in reeve("xyzzy").stderr
    assert "did you mean" not in reeve("validate", "--xyzzy").stderr


@pytest.mark.parametrize("words, hint", [
    ("undo clustr shop", "did you mean 'cluster'"),
    ("create shop", "kinds: clusters"),
    ("undo cluster", "undo needs the name of one object"),
    ("describe machine web-0", "reeve get nodes"),
    ("get machines", "reeve get nodes"),
    ("edit node/shop/web-0", "reeve describe node CLUSTER/NODE"),
    ("edit user ana", "reeve get users"),
    ("get clusetrs", "did you mean 'cluster"),
])
def test_a_kind_that_was_left_out_or_has_another_name(reeve, words, hint):
    """Who knows other tools names the object alone, or asks for nodes: what is right is told."""
    shown = reeve(*words.split())
    assert shown.returncode == 2 and hint in shown.stderr, shown.stderr


@pytest.mark.parametrize("words,said", [(("scale",), "scale needs an argument"), (("scale", "shop/web"), "scale needs 2 arguments, got only 'shop/web'"),
                                        (("scale", "shop/web", "1", "2"), "scale takes 2 arguments, got also '2'"),
                                        (("tree", "a", "b"), "tree takes 1 argument, got also 'b'")])
def test_as_many_arguments_as_a_verb_takes_are_said(reeve, words, said):
    run = reeve(*words)
    assert run.returncode == 2 and said in run.stderr, run.stderr


def test_a_size_that_is_too_large_is_shown_the_bound(managed, folder):
    (folder / "a.yaml").write_text(GROUP)
    assert managed("apply", "-f", "a.yaml", "--yes").returncode == 0
    assert "from 0 to 100000" in managed("scale", "a/web", "100001").stderr


def test_a_bundle_that_is_not_there_shows_where_it_was_looked_for(managed, folder):
    (folder / "sub").mkdir()
    (folder / "sub/a.yaml").write_text(GROUP + "    bootstrap: [{tar: base}]\n")
    shown = managed("plan", "-f", "sub/a.yaml")
    assert "a path is relative to the folder of the file: sub/base" in shown.stderr
    (folder / "sub/base").mkdir()
    shown = managed("plan", "-f", "sub/a.yaml")
    assert "this concerns 'sub/base'" in shown.stderr and "with a file bootstrap.sh at its top" in shown.stderr
    (folder / "sub/base/bootstrap.sh").write_text("true\n")
    (folder / "sub/base/passwd").symlink_to("/etc/passwd")
    shown = managed("plan", "-f", "sub/a.yaml")
    assert "outside of the bundle" in shown.stderr and "reeve bootstrap check sub/base" in shown.stderr, shown.stderr
