"""Man pages from the programs themselves: of reeve and each verb from its verb table (`reeve help -o json`), of the
other programs from their --help.

    make.py --names VERBS_DEF              the verbs that get a page, one a line
    make.py FOLDER VERSION REEVE PROGRAM...    write reeve.1, reeve-VERB.1 and PROGRAM.8
"""
import json
import pathlib
import re
import subprocess
import sys

EPOCH = ""  # pages have no date, so that two builds are the same


def escaped(text):
    """Text as troff prints it: no character has a meaning."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\n".join("\\&" + line if line.startswith((".", "\\(aq")) else line for line in text.split("\n"))


def head(name, section, version, summary):
    manual = "User Commands" if section == 1 else "System Administration"
    return [f'.TH {name.upper()} {section} "{EPOCH}" "reeve {escaped(version)}" "{manual}"', ".SH NAME", f"{name} \\- {escaped(summary)}"]


def paragraphs(text):
    """Prose: a line that begins with a blank stays as it is, others are filled."""
    lines = []
    for block in text.split("\n\n"):
        lines.append(".PP")
        for line in block.split("\n"):
            if line.startswith(" "):
                lines += [".br", escaped(line.strip())]
            else:
                lines.append(escaped(line))
    return lines


def flag(row):
    names = (f"\\fB\\-{row['letter']}\\fR, " if row["letter"] else "") + f"\\fB{escaped('--' + row['name'])}\\fR"
    lines = [".TP", names + (f" \\fI{escaped(row['value'])}\\fR" if row["value"] else ""), escaped(row["help"])]
    if row["words"]:
        lines += [".br", "One of: " + escaped(", ".join(row["words"].split("|")))]
    return lines


def exits(table):
    lines = []
    for code, meaning in table.items():
        lines += [".TP", f"\\fB{code}\\fR", escaped(meaning)]
    return lines


def verb_page(verb, table, version):
    lines = head(f"reeve-{verb['name']}", 1, version, verb["summary"]) + [".SH SYNOPSIS"]
    for form in verb["synopsis"].split("; "):
        lines += [escaped(f"reeve {form}"), ".br"]
    lines = lines[:-1] + [".SH DESCRIPTION"] + paragraphs(verb["text"])[1:] + [".SH OPTIONS"]
    for row in verb["flags"] + table["flags"]:
        lines += flag(row)
    lines += [".SH EXIT STATUS", *exits(verb["exits"]), ".SH EXAMPLES"]
    for example in verb["examples"]:
        lines += [".PP", escaped(example["text"][:1].upper() + example["text"][1:]) + ":", ".PP", ".RS 4", ".nf",
                  escaped(example["command"]), ".fi", ".RE"]
    return lines + [".SH SEE ALSO", ".BR reeve (1)"]


def overview_page(table, version, topics):
    lines = head("reeve", 1, version, "create clusters of machines and keep them at size and healthy") + [
        ".SH SYNOPSIS", escaped("reeve VERB [KIND] [NAME ...] [flags]"), ".SH DESCRIPTION",
        "reeve turns one YAML file into running, bootstrapped nodes and keeps them at size and healthy.",
        "The command talks to a manager,", ".BR reeved (8),", "over its socket or HTTPS.",
        f"{escaped('reeve help TOPIC')} prints the topics below; {escaped('reeve explain')} explains kinds, fields and error codes.",
        ".SH VERBS", "Each verb has a page of its own."]
    for verb in table["verbs"]:
        if not verb["hidden"]:
            lines += [".TP", f".BR reeve\\-{verb['name']} (1)", escaped(verb["summary"])]
    lines += [".SH OPTIONS"]
    for row in table["flags"] + table["topFlags"]:
        lines += flag(row)
    for name, text in topics.items():
        lines += [f'.SH "{name.upper()}"', ".nf", escaped(text.rstrip("\n")), ".fi"]
    return lines + [".SH SEE ALSO", ".BR reeved (8)"]


def program_page(name, text, version):
    """The --help of a program: its first line is the summary, an indented `--flag VALUE   text` an option."""
    first, _, rest = text.partition("\n")
    summary = re.sub(rf"^{re.escape(name)}:? ", "", first).rstrip(".:")
    lines = head(name, 8, version, summary) + [".SH SYNOPSIS"]
    usage = re.search(r"^Usage: (.*)$", rest, re.MULTILINE)
    lines += [escaped(usage[1] if usage else name), ".SH DESCRIPTION", escaped(first)]
    if usage:
        rest = rest.replace(usage[0], "")
    has_options = False
    for line in rest.split("\n"):
        option = re.match(r"  (--\S+(?: \S+)?)  +(.*)", line)
        if option:
            lines += [] if has_options else [".SH OPTIONS"]
            lines += [".TP", f"\\fB{escaped(option[1])}\\fR", escaped(option[2])]
            has_options = True
        elif line.strip():
            lines += [".PP", escaped(line.strip())]
    return lines + [".SH SEE ALSO", ".BR reeve (1)"]


def printed(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout


def main():
    if sys.argv[1] == "--names":
        rows = pathlib.Path(sys.argv[2]).read_text()
        hidden = set(re.findall(r"^HIDDEN\((\w+)\)", rows, re.MULTILINE))
        print("\n".join(name for verb, name in re.findall(r'^VERB\((\w+), \w+, "([a-z]+)"', rows, re.MULTILINE) if verb not in hidden))
        return
    folder, version, reeve, programs = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    table = json.loads(printed(reeve, "help", "-o", "json"))
    topics = {name: printed(reeve, "help", name) for name in table["topics"]}
    pages = {"reeve.1": overview_page(table, version, topics)}
    pages |= {f"reeve-{verb['name']}.1": verb_page(verb, table, version) for verb in table["verbs"] if not verb["hidden"]}
    for program in programs:
        name = pathlib.Path(program).name
        pages[f"{name}.8"] = program_page(name, printed(program, "--help"), version)
    for name, lines in pages.items():
        (folder / name).write_text("\n".join(lines) + "\n")


main()
