"""Plugins that tests build for themselves, as a stranger would: from a C file and the one header."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build(folder, name, sources=(ROOT / "plugins/file/file.c", ROOT / "plugins/file/machine.c"), **defines):
    """FOLDER/NAME.so of sources; by default the plugin `file` under another name."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [f"-D{key}={value}" for key, value in {"PLUGIN_NAME": f'"{name}"', **defines}.items()]
    subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared",
                    "-Wl,-z,defs", f"-I{ROOT}/include", *words, "-o", str(folder / f"{name}.so"), *map(str, sources)],
                   check=True, timeout=240)
    return folder / f"{name}.so"
