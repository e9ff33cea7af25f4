"""Archives that no node may get, and the code and a word of the reason of each."""
import io
import tarfile

GOOD = b"echo hello\n"
BLOCK = 512


def member(name, data=b"", kind=tarfile.REGTYPE, link="", mode=0o644, **more):
    """One member of Python's tarfile."""
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname, info.mode = kind, len(data), link, mode
    for key, value in more.items():
        setattr(info, key, value)
    return info, data


SCRIPT = member("bootstrap.sh", GOOD)


def make(*members, form=tarfile.PAX_FORMAT):
    """The bytes of an archive of these, spelled as they are."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def header(name=b"a", size=0, kind=b"0", mode=b"0000644\0", magic=b"ustar\00000", link=b"", prefix=b"",
           size_field=None, wrong_sum=0):
    """A header block by hand."""
    block = bytearray(BLOCK)
    block[0:len(name)] = name
    block[100:108] = mode
    block[108:116] = block[116:124] = b"0000000\0"
    block[124:136] = size_field or b"%011o\0" % size
    block[136:148] = b"00000000000\0"
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[157:157 + len(link)] = link
    block[257:265] = magic
    block[345:345 + len(prefix)] = prefix
    block[148:156] = b"%06o\0 " % (sum(block) + wrong_sum)
    return bytes(block)


def padded(data):
    """A content with what fills its last block."""
    return data + bytes(-len(data) % BLOCK)


def raw(*blocks, end=True):
    """An archive by hand, behind a good script."""
    return header(b"bootstrap.sh", len(GOOD)) + padded(GOOD) + b"".join(blocks) + bytes(1024 if end else 0)


def pax(*records, kind=b"x"):
    """A header of pax with these records."""
    data = b""
    for record in records:
        length = len(record) + 2
        while len(b"%d %s\n" % (length, record)) != length:
            length = len(b"%d %s\n" % (length, record))
        data += b"%d %s\n" % (length, record)
    return header(b"pax", len(data), kind) + padded(data)


def long_name(data, kind=b"L"):
    """A long name of GNU."""
    return header(b"././@LongLink", len(data), kind, magic=b"ustar  \0") + padded(data)


def links():
    """Links that lead out, or that something lies behind."""
    sym = tarfile.SYMTYPE
    outs = ["/etc/passwd", "..", "../x", "../../etc/passwd", "a/../../x", "a/..", "./../x", "//etc", "x/../y",
            ".//..//x", ""]
    for number, target in enumerate(outs):
        yield f"link-{number}", make(SCRIPT, member("link", kind=sym, link=target)), "R0724", "outside of the bundle"
    for number, target in enumerate(["../..", "../../x", "../y/../../x", "..//..//x"]):
        yield f"deep-link-{number}", make(SCRIPT, member("d/link", kind=sym, link=target)), "R0724", "outside of the bundle"
    yield "link-long", make(SCRIPT, member("l", kind=sym, link="a" * 2000)), "R0724", "outside of the bundle"
    yield "link-control", make(SCRIPT, member("l", kind=sym, link="a\nb")), "R0724", "outside of the bundle"
    yield "beneath-link", make(SCRIPT, member("d", kind=sym, link="."), member("d/x", b"x")), "R0723", "not a folder"
    yield "beneath-file", make(SCRIPT, member("d", b"1"), member("d/x", b"x")), "R0723", "not a folder"
    yield "beneath-before", make(SCRIPT, member("d/x", b"x"), member("d", kind=sym, link=".")), "R0723", "not a folder"
    yield "link-then-file", make(SCRIPT, member("x", kind=sym, link="y"), member("x", b"x")), "R0723", "twice"
    yield "script-link", make(member("a", GOOD), member("bootstrap.sh", kind=sym, link="a")), "R0722", "a link"
    yield "link-with-content", raw(header(b"l", 512, b"2", link=b"a") + bytes(512)), "R0721", "content"


def kinds():
    """Members of kinds that a node does not get."""
    words = {b"1": "hard link", b"3": "device", b"4": "device", b"6": "pipe", b"7": "unknown", b"S": "sparse",
             b"D": "listing", b"M": "part of a file", b"V": "GNU", b"N": "GNU", b"Z": "unknown", b"\xff": "unknown",
             b"A": "unknown", b"5 ".strip() + b"": None}
    for number, (kind, word) in enumerate(words.items()):
        if word:
            yield f"kind-{number}", raw(header(b"x", 0, kind, link=b"bootstrap.sh")), "R0724", word
    yield "hard-link-out", make(SCRIPT, member("x", kind=tarfile.LNKTYPE, link="/etc/passwd")), "R0724", "hard link"
    yield "fifo", make(SCRIPT, member("x", kind=tarfile.FIFOTYPE)), "R0724", "pipe"
    yield "char", make(SCRIPT, member("x", kind=tarfile.CHRTYPE, devmajor=1, devminor=3)), "R0724", "device"
    yield "block", make(SCRIPT, member("x", kind=tarfile.BLKTYPE, devmajor=8)), "R0724", "device"
    yield "setuid", make(SCRIPT, member("x", b"x", mode=0o4755)), "R0724", "set-user-id"
    yield "setgid", make(SCRIPT, member("x", b"x", mode=0o2755)), "R0724", "set-user-id"
    for number, record in enumerate([b"GNU.sparse.major=1", b"GNU.sparse.map=0,1", b"GNU.sparse.realsize=99999999999",
                                     b"GNU.sparse.name=../x"]):
        yield f"sparse-{number}", raw(pax(record), header(b"x")), "R0724", "sparse"


def names():
    """Names that lead out, are there twice, or are reeve's."""
    bad = {"/etc/passwd": "absolute", "//x": "absolute", "../x": "`..`", "a/../x": "`..`", "a/../../x": "`..`",
           "..": "`..`", "./../x": "`..`", "a//b": "empty part", "a/./b": "`.`", "a/..": "`..`", "output": "reeve itself",
           "stage-complete": "reeve itself", ".reeve": "reeve itself", "./output": "reeve itself",
           "./.reeve": "reeve itself", "a\nb": "not printable", "a\x1b[2Jb": "not printable", "a\x7f": "not printable",
           "bootstrap.sh": "twice", "./bootstrap.sh": "twice", "bootstrap.sh/x": "not a folder",
           ".//x": "absolute", "././../x": "`..`"}
    for number, (name, word) in enumerate(bad.items()):
        yield f"name-{number}", make(SCRIPT, member(name, b"x"), form=tarfile.GNU_FORMAT), "R0723", word
    yield "name-pax-up", raw(pax(b"path=../x"), header(b"fine")), "R0723", "`..`"
    yield "name-pax-absolute", raw(pax(b"path=/x"), header(b"fine")), "R0723", "absolute"
    yield "name-gnu-up", raw(long_name(b"../x\0"), header(b"fine", magic=b"ustar  \0")), "R0723", "`..`"
    yield "name-prefix-up", raw(header(b"x", prefix=b"..")), "R0723", "`..`"
    yield "name-prefix-absolute", raw(header(b"x", prefix=b"/etc")), "R0723", "absolute"
    yield "name-none", raw(header(b"")), "R0723", "no name"
    yield "name-not-utf8", raw(header(b"a\xff\xfe")), "R0723", "not printable"
    yield "name-long", raw(pax(b"path=" + b"a/" * 600 + b"x"), header(b"fine")), "R0725", "1024"
    yield "name-deep", raw(pax(b"path=" + b"a/" * 60 + b"x"), header(b"fine")), "R0725", "deep"
    yield "folder-twice", make(SCRIPT, member("d", kind=tarfile.DIRTYPE), member("d", kind=tarfile.DIRTYPE)), \
        "R0723", "twice"
    yield "file-is-the-folder", raw(header(b".")), "R0723", "folder itself"


def scripts():
    """No bootstrap.sh, or none that runs."""
    yield "no-script", make(member("other.sh", GOOD)), "R0722", "no bootstrap.sh"
    yield "empty", make(), "R0722", "no bootstrap.sh"
    yield "script-deeper", make(member("bundle/bootstrap.sh", GOOD)), "R0722", "no bootstrap.sh"
    yield "script-empty", make(member("bootstrap.sh", b"")), "R0722", "empty"
    yield "script-folder", make(member("bootstrap.sh", kind=tarfile.DIRTYPE)), "R0722", "a folder"
    yield "crlf", make(member("bootstrap.sh", b"a\r\nb\r\n")), "R0722", "line 1"
    yield "crlf-late", make(member("bootstrap.sh", b"a\nb\nc\r\n")), "R0722", "line 3"
    yield "script-large", make(member("bootstrap.sh", bytes(4 * 1024 * 1024 + 1))), "R0725", "bootstrap.sh"


def damaged():
    """What is no archive, or no whole one."""
    good = make(SCRIPT, member("x", b"y" * 3000))
    yield "nothing", b"", "R0721", "truncated"
    yield "a-text", b"hello\n" * 200, "R0721", "checksum"
    yield "gzip", b"\x1f\x8b\x08" + bytes(600), "R0721", "gzip"
    yield "xz", b"\xfd7zXZ\0" + bytes(600), "R0721", "xz"
    yield "zip", b"PK\x03\x04" + bytes(600), "R0721", "zip"
    yield "zstd", b"\x28\xb5\x2f\xfd" + bytes(600), "R0721", "zstd"
    yield "bzip2", b"BZh9" + bytes(600), "R0721", "bzip2"
    for number, length in enumerate((1, 511, 512, 513, 1024, 2000, 4000, 4608)):
        yield f"cut-{number}", good[:length], "R0721", "truncated"
    yield "one-empty-block", raw(bytes(512), end=False), "R0721", "truncated"
    yield "goes-on-behind-one", raw(bytes(512), header(b"x")), "R0721", "continues after"
    yield "goes-on", raw() + b"rubbish", "R0721", "continues after"
    yield "another-behind", raw() + raw(), "R0721", "continues after"
    yield "late-rubbish", raw() + bytes(20000) + b"x", "R0721", "continues after"
    yield "sum-1", raw(header(b"x", wrong_sum=1)), "R0721", "checksum"
    yield "sum-2", raw(header(b"x", wrong_sum=-1)), "R0721", "checksum"
    yield "v7", raw(header(b"x", magic=bytes(8))), "R0721", "is not a header of ustar"
    yield "magic", raw(header(b"x", magic=b"ustaR\00000")), "R0721", "is not a header of ustar"
    yield "mode", raw(header(b"x", mode=b"rwxrwxrw")), "R0721", "no mode"
    yield "pax-no-length", raw(header(b"p", 6, b"x") + padded(b"path=x"), header(b"y")), "R0721", "damaged"
    yield "pax-length", raw(header(b"p", 10, b"x") + padded(b"99 path=x\n"), header(b"y")), "R0721", "damaged"
    yield "pax-short", raw(header(b"p", 10, b"x") + padded(b"3 path=xy\n"), header(b"y")), "R0721", "damaged"
    yield "pax-no-end", raw(header(b"p", 10, b"x") + padded(b"10 path=xy"), header(b"y")), "R0721", "damaged"
    yield "pax-no-key", raw(pax(b"=x"), header(b"y")), "R0721", "no key"
    yield "pax-twice", raw(pax(b"path=a", b"path=b"), header(b"y")), "R0721", "twice"
    yield "pax-two-headers", raw(pax(b"path=a"), pax(b"path=b"), header(b"y")), "R0721", "twice"
    yield "pax-global-path", raw(pax(b"path=a", kind=b"g"), header(b"y")), "R0721", "all members"
    yield "pax-size", raw(pax(b"size=5"), header(b"y", 0)), "R0721", "two sizes"
    yield "pax-alone", raw(pax(b"path=a")), "R0721", "truncated"
    yield "gnu-and-pax", raw(pax(b"path=a"), long_name(b"b\0"), header(b"y")), "R0721", "twice"
    yield "gnu-no-nul", raw(long_name(b"ab"), header(b"y")), "R0721", "damaged"
    yield "gnu-empty", raw(long_name(b""), header(b"y")), "R0721", "damaged"


def large():
    """Sizes beyond all limits, said or real."""
    yield "size-8g", raw(header(b"x", size_field=b"77777777777\0")), "R0725", "bytes"
    yield "size-base256", raw(header(b"x", size_field=b"\x80" + bytes(6) + b"\x01" + bytes(4))), "R0725", "too large"
    yield "size-negative", raw(header(b"x", size_field=b"\xff" * 12)), "R0725", "too large"
    yield "size-none", raw(header(b"x", size_field=bytes(12))), "R0725", "or none"
    yield "size-words", raw(header(b"x", size_field=b"one hundred\0")), "R0725", "or none"
    yield "pax-size-8g", raw(pax(b"size=99999999999"), header(b"x")), "R0721", "two sizes"
    yield "header-large", raw(header(b"p", 70000, b"x") + bytes(70144)), "R0725", "headers"
    yield "headers-many", raw(*[pax(b"comment=" + b"x" * 900)] * 60, header(b"x")), "R0725", "headers"
    yield "members-many", raw(*[header(b"f%d" % number) for number in range(20001)]), "R0725", "members"


def every():
    """(name, bytes, code, word)."""
    for table in (links, kinds, names, scripts, damaged, large):
        yield from table()
