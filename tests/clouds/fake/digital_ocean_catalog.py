"""The plain world of the DigitalOcean fake: regions, sizes, images, keys, networks, firewalls."""

import hashlib

REGIONS = {"nyc1": "New York 1", "nyc3": "New York 3", "ams3": "Amsterdam 3", "fra1": "Frankfurt 1"}
CLOSED_REGIONS = {"nyc2": "New York 2"}
# slug: (MiB, processors, GiB of disk, dollars per hour, description, regions without it)
SIZES = {
    "s-1vcpu-512mb-10gb": (512, 1, 10, 0.00595, "Basic", ("fra1",)), "s-1vcpu-1gb": (1024, 1, 25, 0.00893, "Basic", ()),
    "s-1vcpu-1gb-intel": (1024, 1, 25, 0.01042, "Basic Intel", ()), "s-1vcpu-2gb": (2048, 1, 50, 0.01786, "Basic", ()),
    "s-2vcpu-2gb": (2048, 2, 60, 0.02679, "Basic", ()), "s-2vcpu-4gb": (4096, 2, 80, 0.03571, "Basic", ()),
    "s-4vcpu-8gb": (8192, 4, 160, 0.07143, "Basic", ()), "c-2": (4096, 2, 25, 0.0625, "CPU-Optimized", ("ams3",)),
    "g-2vcpu-8gb": (8192, 2, 25, 0.09375, "General Purpose", ()), "m-2vcpu-16gb": (16384, 2, 50, 0.125, "Memory-Optimized", ()),
}
GPU_SIZES = {"gpu-h100x1-80gb": (245760, 20, 720, 3.39, "H100 GPU", ("ams3", "fra1"))}
# id: (slug, name, distribution, created)
IMAGES = {
    136001: ("debian-12-x64", "12 x64", "Debian", "2026-06-01T10:00:00Z"), 136002: ("debian-13-x64", "13 x64", "Debian", "2026-06-02T10:00:00Z"),
    136003: ("ubuntu-22-04-x64", "22.04 (LTS) x64", "Ubuntu", "2026-05-20T10:00:00Z"),
    136004: ("ubuntu-24-04-x64", "24.04 (LTS) x64", "Ubuntu", "2026-05-21T10:00:00Z"),
    136005: ("rockylinux-9-x64", "9 x64", "Rocky Linux", "2026-05-22T10:00:00Z"),
}
PRIVATE_IMAGES = {200001: (None, "golden", "Debian", "2026-06-10T10:00:00Z")}
KEYS = {512189: "mwas", 512190: "ops"}
FIREWALLS = {"bb4b2611-3d72-467b-8602-280330ecd65c": ("web", ["fw-web"]), "fe6b88f2-b42b-4bf7-bbd3-5ae20208f0b0": ("untagged", [])}
FEATURES = ["backups", "ipv6", "metadata", "install_agent", "storage", "image_transfer"]


def make_uuid(*parts):
    """A UUID that is the same in each run."""
    digits = hashlib.sha256("/".join(parts).encode()).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"


VPCS = {make_uuid("vpc", region): (f"default-{region}", region, True) for region in REGIONS}
VPCS[make_uuid("vpc", "private")] = ("private", "nyc1", False)


def fingerprint(name):
    """The fingerprint of a key."""
    digits = hashlib.md5(name.encode()).hexdigest()
    return ":".join(digits[i:i + 2] for i in range(0, 32, 2))


def show_key(id, name, public_key=None):
    """A key of the account."""
    return {"id": id, "name": name, "fingerprint": fingerprint(public_key or name),
            "public_key": public_key or f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{name} {name}"}


def show_size(slug):
    """A size."""
    memory, cpus, disk, hourly, description, without = {**SIZES, **GPU_SIZES}[slug]
    return {"slug": slug, "memory": memory, "vcpus": cpus, "disk": disk, "transfer": 1.0, "price_monthly": round(hourly * 672),
            "price_hourly": hourly, "regions": [region for region in REGIONS if region not in without], "available": True,
            "description": description}


def show_region(slug):
    """A region."""
    is_open = slug in REGIONS
    return {"slug": slug, "name": {**REGIONS, **CLOSED_REGIONS}[slug], "available": is_open, "features": FEATURES,
            "sizes": [size for size, row in SIZES.items() if slug not in row[5]] if is_open else []}


def show_image(id):
    """An image."""
    slug, name, distribution, created = {**IMAGES, **PRIVATE_IMAGES}[id]
    is_public = id in IMAGES
    return {"id": id, "name": name, "distribution": distribution, "slug": slug, "public": is_public, "regions": list(REGIONS),
            "created_at": created, "type": "base" if is_public else "snapshot", "min_disk_size": 7, "size_gigabytes": 0.7,
            "description": f"{distribution} {name}", "tags": [], "status": "available", "error_message": ""}


def find_image(wanted):
    """The id of an image by its number or slug; None: there is none."""
    for id, row in {**IMAGES, **PRIVATE_IMAGES}.items():
        if wanted in (id, str(id)) or (row[0] and wanted == row[0]):
            return id
    return None


def show_vpc(id):
    """A network."""
    name, region, is_default = VPCS[id]
    return {"id": id, "urn": f"do:vpc:{id}", "name": name, "description": "", "region": region, "ip_range": "10.10.0.0/20",
            "created_at": "2024-01-01T00:00:00Z", "default": is_default}


def show_firewall(id, droplet_ids):
    """A firewall."""
    name, tags = FIREWALLS[id]
    return {"id": id, "name": name, "status": "succeeded", "inbound_rules": [{"protocol": "tcp", "ports": "22",
                                                                             "sources": {"addresses": ["0.0.0.0/0", "::/0"]}}],
            "outbound_rules": [], "created_at": "2024-01-01T00:00:00Z", "droplet_ids": droplet_ids, "tags": tags, "pending_changes": []}
