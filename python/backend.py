"""Builds a wheel with CMake alone: pip install . needs nothing from the network. The same tree gives the same bytes."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r'SOA_VERSION +"([0-9.]+)"', (ROOT / "include/soa/core.h").read_text()).group(1)
INFO = f"soa-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: soa
Version: {VERSION}
Summary: Spatial Operator Algebra: the dynamics of multibody systems
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp39-abi3-{platform}"


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / INFO
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA)
    (folder / "WHEEL").write_text(wheel_text())
    return INFO


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: soa\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def build_package(folder):
    subprocess.run(["cmake", "-S", str(ROOT), "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DSOA_TESTS=OFF",
                    "-DSOA_TOOL=OFF", "-DSOA_EXAMPLES=OFF", f"-DSOA_PYTHON_EXECUTABLE={sys.executable}"], check=True,
                   stdout=sys.stderr)
    subprocess.run(["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 1),
                    "--target", "soa_package"], check=True, stdout=sys.stderr)
    return Path(folder) / "python" / "soa"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"soa-{VERSION}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as folder:
        package = build_package(folder)
        files = {f"soa/{p.name}": p.read_bytes() for p in sorted(package.iterdir()) if p.is_file()}
    if not any(path.endswith(".so") for path in files):
        raise SystemExit("soa: Python.h is missing (Debian: apt-get install python3-dev)")
    files[f"{INFO}/METADATA"] = METADATA.encode()
    files[f"{INFO}/WHEEL"] = wheel_text().encode()
    record = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
            write(wheel, path, data)
        write(wheel, f"{INFO}/RECORD", ("\n".join(record + [f"{INFO}/RECORD,,"]) + "\n").encode())
    return name


def write(wheel, path, data):
    about = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
    about.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
    about.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(about, data)
