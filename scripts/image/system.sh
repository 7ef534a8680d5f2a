#!/bin/sh
# Fills the root folder of the image: Node, the Debian libraries that it, ffmpeg and PostgreSQL need, and a shell, which
# limits child processes. Usage: system.sh <root folder of the image>
set -eu
image=$1
cd "$(mktemp -d)"
mkdir -p "$image/backups" "$image/data" "$image/etc/ssl/certs" "$image/tmp" "$image/usr/bin" "$image/usr/lib" "$image/usr/lib64"
chmod 1777 "$image/tmp"
chown 1000:1000 "$image/backups" "$image/data"
for folder in bin lib lib64; do ln -sfn "usr/$folder" "$image/$folder"; done

apt-get install -qy --no-install-recommends binutils busybox-static ca-certificates
apt-get download -q busybox-static libc6 libdav1d6 libgcc-s1 libstdc++6 libwebp7 libx264-164 zlib1g
for package in *.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$image"
done
rm -rf "$image"/usr/lib/*/gconv "$image"/usr/share/lintian "$image"/usr/share/man "$image"/usr/share/locale
find "$image/usr/share/doc" ! -name copyright -type f -delete
for command in $(busybox --list); do ln -s busybox "$image/usr/bin/$command" 2>/dev/null || true; done
# Debian's busybox has no nice.
cp "$(command -v nice)" "$image/usr/bin/"

strip --strip-unneeded -o "$image/usr/bin/node" "$(command -v node)"
cp /etc/ssl/certs/ca-certificates.crt "$image/etc/ssl/certs/"
# initdb needs a name for its user.
echo 'kinora:x:1000:1000::/data:/bin/sh' >"$image/etc/passwd"
echo 'kinora:x:1000:' >"$image/etc/group"
# Equal content gives an equal layer.
find "$image" -exec touch -h -d @0 {} +
