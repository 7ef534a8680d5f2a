"""Prints the upright size and the colours of pictures, as otherPrograms.tsv records them: decoded by Pillow and LittleCMS,
which share no code with the server. Each colour is the mean of a field of a 3 x 3 grid, in sRGB and on white.

usage: python3 otherPrograms.py FILE... (made with Pillow 13.0.0 and NumPy)
"""
import io
import sys

import numpy
from PIL import Image, ImageCms

EXIF_ORIENTATION = 0x0112
TURNS = {
    2: [Image.Transpose.FLIP_LEFT_RIGHT],
    3: [Image.Transpose.ROTATE_180],
    4: [Image.Transpose.FLIP_TOP_BOTTOM],
    5: [Image.Transpose.TRANSPOSE],
    6: [Image.Transpose.ROTATE_270],
    7: [Image.Transpose.TRANSVERSE],
    8: [Image.Transpose.ROTATE_90],
}
SRGB = ImageCms.createProfile("sRGB")
RELATIVE = ImageCms.Intent.RELATIVE_COLORIMETRIC


def in_srgb(image):
    """Returns the colours of an image without alpha. PNGs without a profile may state a gamma."""
    profile = image.info.get("icc_profile")
    if profile and image.mode in ("RGB", "CMYK", "L"):
        profile = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        image = ImageCms.profileToProfile(image, profile, SRGB, outputMode="RGB", renderingIntent=RELATIVE)
        return numpy.asarray(image, float)
    colours = numpy.asarray(image.convert("RGB"), float)
    gamma = image.info.get("gamma", 0.45455) / 0.45455
    if abs(gamma - 1) < 0.05 or "srgb" in image.info:
        return colours
    return 255 * (colours / 255) ** (1 / gamma)


def read(path):
    image = Image.open(path)
    info, turns = dict(image.info), TURNS.get(image.getexif().get(EXIF_ORIENTATION), [])
    for turn in turns:
        image = image.transpose(turn)
    if image.mode.startswith("I"):
        grey = numpy.asarray(image, float) / 257
        return numpy.repeat(grey[:, :, None], 3, 2)
    alpha = 1.0
    if image.mode in ("PA", "LA", "RGBA") or "transparency" in info:
        image = image.convert("RGBA")
        alpha = numpy.asarray(image.getchannel("A"), float)[:, :, None] / 255
        image = image.convert("RGB")
    elif image.mode in ("P", "1"):
        image = image.convert("RGB")
    image.info = info
    return in_srgb(image) * alpha + 255 * (1 - alpha)


for path in sys.argv[1:]:
    pixels = read(path)
    fields = [field for row in numpy.array_split(pixels, 3) for field in numpy.array_split(row, 3, 1)]
    colours = ["%02x%02x%02x" % tuple(round(value) for value in field.mean((0, 1))) for field in fields]
    print(f"{pixels.shape[1]}x{pixels.shape[0]}", " ".join(colours), path, sep="\t")
