"""The files of an installation, and the Debian packages that contain them (tools/deb, tools/install)."""

import dataclasses
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

from .stripped import strip

# Plugins in the package of the manager, because they need no other package.
SERVICE_PLUGINS = {"file", "sim", "static"}
# Files that meson does not build: source below packaging/, target (a leading slash: not below the prefix), mode.
FURNISHINGS = [
    ("reeved.service", "lib/systemd/system/reeved.service", 0o644),
    ("reeve-store.service", "lib/systemd/system/reeve-store.service", 0o644),
    ("reeve-store.path", "lib/systemd/system/reeve-store.path", 0o644),
    ("local.conf", "lib/systemd/system/reeved.service.d/local.conf", 0o644),
    ("reeve.sysusers", "lib/sysusers.d/reeve.conf", 0o644),
    ("reeved.init", "/etc/init.d/reeved", 0o755),
    ("reeved.logrotate", "/etc/logrotate.d/reeved", 0o644),
    ("reeved.yaml", "/etc/reeve/reeved.yaml", 0o644),
    # the recipe of the netboot system and of base images
    ("netboot/init", "share/reeve/packaging/netboot/init", 0o755),
    ("netboot/udhcpc.script", "share/reeve/packaging/netboot/udhcpc.script", 0o755),
    *((f"../tools/{name}", f"share/reeve/tools/{name}", mode) for name, mode in (
        ("netboot-image", 0o755), ("install-packages", 0o755), ("image-root.sh", 0o644), ("lib.sh", 0o644), ("packages", 0o644))),
]
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")


@dataclasses.dataclass
class File:
    """One file of an installation: its content is the file `source`, or `text`."""
    target: str  # with a leading slash
    mode: int
    source: pathlib.Path | None = None
    text: str | None = None

    @property
    def is_binary(self):
        """Returns whether the file is a program or a plugin, which has symbols."""
        return self.source is not None and "/bin/" in self.target or self.target.endswith(".so")


def built(build, prefix):
    """Returns the files that meson would install, for another prefix. Programs do not depend on the prefix with which
    they were configured."""
    out = subprocess.run(["/usr/bin/meson", "introspect", "--installed", str(build)], check=True, stdout=subprocess.PIPE, timeout=120).stdout
    options = subprocess.run(["/usr/bin/meson", "introspect", "--buildoptions", str(build)], check=True, stdout=subprocess.PIPE, timeout=120)
    was = next(option["value"] for option in json.loads(options.stdout) if option["name"] == "prefix")
    for source, target in sorted(json.loads(out).items()):
        below = pathlib.PurePosixPath(target).relative_to(was)
        yield File(f"{prefix}/{below}", 0o755 if below.parts[0] == "bin" else 0o644, source=pathlib.Path(source))


def furnishings(root, prefix):
    """Returns the unit, the start script, the configuration and other files that are not programs."""
    for name, target, mode in FURNISHINGS:
        text = (root / "packaging" / name).read_text().replace("@bindir@", f"{prefix}/bin")
        yield File(target if target.startswith("/") else f"{prefix}/{target}", mode, text=text)


def installation(root, build, prefix):
    """Returns all files, sorted by their targets."""
    files = [*built(build, prefix), *furnishings(root, prefix)]
    missing = [file.source for file in files if file.source and not file.source.exists()]
    if missing:
        raise SystemExit(f"{missing[0]} is not built; run: make")
    return files


def place(file, folder, is_stripped=False):
    """Writes one file below a folder."""
    target = pathlib.Path(folder, file.target.lstrip("/"))
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.text is not None:
        target.write_text(file.text)
    elif is_stripped and file.is_binary:
        strip(file.source, target)
    else:
        shutil.copyfile(file.source, target)
    target.chmod(file.mode)
    return target


# ---- Debian packages ----

def package_of(file):
    """Returns the name of the package to which a file belongs."""
    path = pathlib.PurePosixPath(file.target)
    if "/lib/reeve/plugins/" in file.target:
        return "reeved" if path.stem in SERVICE_PLUGINS else "reeve-plugins"
    if path.name == "local.conf":
        return "reeve-plugins"
    is_client = file.target == "/usr/bin/reeve" or re.search(r"/man1/|/completions/|-completions/|vendor_completions|/include/", file.target)
    return "reeve" if is_client else "reeved"


def paragraphs(root):
    """Returns the fields of the source and of each package, from packaging/debian/control."""
    text = "\n".join(line for line in (root / "packaging/debian/control").read_text().splitlines() if not line.startswith("#"))
    if os.environ.get("DEBEMAIL"):
        person = f"{os.environ.get('DEBFULLNAME', 'reeve maintainers')} <{os.environ['DEBEMAIL']}>"
        text = re.sub(r"^Maintainer: .*", lambda _: f"Maintainer: {person}", text, flags=re.MULTILINE)
    found = [dict(re.findall(r"^([A-Z][\w-]*): ((?:.|\n(?= ))*)$", part, re.MULTILINE)) for part in text.split("\n\n")]
    return found[0], found[1:]


def git(root, *words):
    """Returns the output of a git command."""
    return subprocess.run(["git", "-C", str(root), *words], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout.strip()


def version_of(root):
    """Returns the version of the commit: the version of meson.build, the time and the commit, so that a later commit is
    an upgrade."""
    project = re.search(r"^  version: '([^']+)'", (root / "meson.build").read_text(), re.MULTILINE)[1]
    when = time.strftime("%Y%m%d%H%M%S", time.gmtime(int(git(root, "log", "-1", "--format=%ct"))))
    changed = "+changed" if git(root, "status", "--porcelain", "--untracked-files=no") else ""
    return f"{project}~git{when}.{git(root, 'rev-parse', '--short=8', 'HEAD')}{changed}"


def epoch_of(root):
    """Returns SOURCE_DATE_EPOCH from the environment, or the time of the commit."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or git(root, "log", "-1", "--format=%ct"))


def zipped(text):
    """Compresses a text like gzip -9n, without a time."""
    return gzip.compress(text if isinstance(text, bytes) else text.encode(), 9, mtime=0)


def changelog(root, package, version, maintainer, epoch):
    """Returns the changelog, with one entry about the source of the package."""
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(epoch))
    return (f"{package} ({version}) unstable; urgency=medium\n\n  * Built from commit {git(root, 'rev-parse', 'HEAD')}.\n\n"
            f" -- {maintainer}  {when}\n")


def dependencies(folder, binaries):
    """Returns ${shlibs:Depends} of these files, as dpkg-shlibdeps computes it."""
    if not binaries:
        return ""
    work = folder.parent / f"{folder.name}.shlibs"
    (work / "debian").mkdir(parents=True)
    (work / "debian/control").write_text("Source: reeve\n\nPackage: reeve\nArchitecture: any\n")
    out = subprocess.run(["dpkg-shlibdeps", "-O", *map(str, binaries)], cwd=work, check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout
    return out.partition("shlibs:Depends=")[2].strip()


def built_using():
    """Returns the sources of the static libraries inside of the plugin local."""
    out = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} (= ${source:Version})\n", "libc6-dev", "libsodium-dev"], check=True,
                         stdout=subprocess.PIPE, text=True, timeout=60).stdout
    return ", ".join(sorted(out.splitlines()))


def size_kb(folder):
    """Returns Installed-Size, as dpkg-gencontrol computes it."""
    paths = [path for path in folder.rglob("*") if "DEBIAN" not in path.relative_to(folder).parts]
    return sum(-(-path.stat().st_size // 1024) if path.is_file() else 1 for path in paths)


def control_write(folder, fields):
    """Writes DEBIAN/control, with the fields in the order of Debian's policy."""
    order = ("Package", "Source", "Version", "Section", "Priority", "Architecture", "Maintainer", "Installed-Size", "Depends", "Recommends",
             "Suggests", "Built-Using", "Homepage", "Description")
    (folder / "DEBIAN/control").write_text("".join(f"{name}: {fields[name]}\n" for name in order if fields.get(name)))


def scripts_write(root, folder, package):
    """Writes the maintainer scripts, and the list of configuration files."""
    store_format = re.search(r"STORE_FORMAT = (\d+)", (root / "src/state/migrate.h").read_text())[1]
    for name in SCRIPTS:
        source = root / f"packaging/debian/{package}.{name}"
        if source.exists():
            target = folder / "DEBIAN" / name
            target.write_text(source.read_text().replace("@format@", store_format))
            target.chmod(0o755)
    kept = sorted(f"/{path.relative_to(folder)}\n" for path in (folder / "etc").rglob("*") if path.is_file())
    if kept:
        (folder / "DEBIAN/conffiles").write_text("".join(kept))


def documents_write(root, folder, package, text):
    """Writes copyright, changelog and the overrides of lintian."""
    place(File(f"/usr/share/doc/{package}/copyright", 0o644, source=root / "packaging/debian/copyright"), folder)
    target = folder / f"usr/share/doc/{package}/changelog.gz"
    target.write_bytes(zipped(text))
    target.chmod(0o644)
    overrides = root / f"packaging/debian/{package}.lintian-overrides"
    if overrides.exists():
        place(File(f"/usr/share/lintian/overrides/{package}", 0o644, source=overrides), folder)


def pages_zip(folder):
    """Compresses the manual pages."""
    for page in (folder / "usr/share/man").rglob("*.[0-9]"):
        target = page.with_name(page.name + ".gz")
        target.write_bytes(zipped(page.read_bytes()))
        target.chmod(page.stat().st_mode)
        page.unlink()


def digests_write(folder):
    """Writes DEBIAN/md5sums of all files that are not configuration files."""
    rows = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in sorted(folder.rglob("*"))
            if path.is_file() and path.relative_to(folder).parts[0] not in ("DEBIAN", "etc")]
    (folder / "DEBIAN/md5sums").write_text("".join(rows))


def package_make(root, folder, files, source, fields, epoch):
    """Makes one package from its files. Returns the path of the .deb."""
    name, version = fields["Package"], source["Version"]
    (folder / "DEBIAN").mkdir(parents=True)
    placed = [(file, place(file, folder, is_stripped=True)) for file in files]
    documents_write(root, folder, name, changelog(root, source["Source"], version, source["Maintainer"], epoch))
    if name == "reeved":
        (folder / "var/log/reeve").mkdir(parents=True)
    pages_zip(folder)
    digests_write(folder)
    scripts_write(root, folder, name)
    libraries = dependencies(folder, [path for file, path in placed if file.is_binary])
    values = {"${shlibs:Depends}": libraries, "${binary:Version}": version}
    whole = {**source, **{key: re.sub(r"\$\{[\w:]+\}", lambda found: values[found[0]], value) for key, value in fields.items()}}
    whole |= {"Architecture": subprocess.run(["dpkg", "--print-architecture"], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout.strip(),
              "Installed-Size": size_kb(folder), "Built-Using": built_using() if name == "reeve-plugins" else ""}
    control_write(folder, whole)
    for path in [folder, *folder.rglob("*")]:  # set the modes, independent of the umask
        if path.is_dir() or path.parent.name == "DEBIAN":
            path.chmod(0o755 if path.is_dir() or path.name in SCRIPTS else 0o644)
    target = folder.parent / f"{name}_{version}_{whole['Architecture']}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", str(folder), str(target)], check=True,
                   stdout=subprocess.DEVNULL, timeout=300, env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})
    return target


def packages_make(root, build, target, version=None):
    """Makes all packages in a folder. Returns their paths."""
    source, packages = paragraphs(root)
    source["Version"] = version or version_of(root)
    epoch = epoch_of(root)
    files = installation(root, build, "/usr")
    work = target / "work"
    shutil.rmtree(work, ignore_errors=True)
    made = []
    for fields in packages:
        made.append(package_make(root, work / fields["Package"], [file for file in files if package_of(file) == fields["Package"]], source, fields, epoch))
    moved = [pathlib.Path(shutil.move(path, target / path.name)) for path in made]
    shutil.rmtree(work)
    return moved
