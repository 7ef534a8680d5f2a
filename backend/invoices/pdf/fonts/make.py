"""Makes the fonts of invoices: subsets of Noto Sans and Noto Sans CJK SC, which are under the SIL Open Font License (OFL.txt).

Needs `pip install fonttools`, and the Debian packages fonts-noto-core and fonts-noto-cjk.

    python3 make.py /usr/share/fonts
"""

import sys
from pathlib import Path

from fontTools import subset

FONTS = Path(sys.argv[1])
LATIN = FONTS / "truetype/noto/NotoSans-Regular.ttf"
CHINESE = FONTS / "opentype/noto/NotoSansCJK-Regular.ttc"
SIMPLIFIED = 2

# Latin, Greek and Cyrillic with their extensions, punctuation, currency and letterlike signs.
SCRIPTS = [(0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x52F), (0x1E00, 0x1FFF), (0x2010, 0x205E), (0x20A0, 0x20C0), (0x2100, 0x214F)]
# Chinese punctuation and full-width forms.
SIGNS = [(0x3000, 0x303F), (0xFF01, 0xFF5E), (0xFFE0, 0xFFE6)]


def code_points(ranges):
    return {code for first, last in ranges for code in range(first, last + 1)}


def gb2312():
    for high in range(0xB0, 0xF8):
        for low in range(0xA1, 0xFF):
            try:
                yield ord(bytes([high, low]).decode("gb2312"))
            except UnicodeDecodeError:
                pass


def make(source, target, codes, number=-1):
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, font_number=number, name_IDs=[0, 1, 2, 13, 14])
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    subset.save_font(font, target, options)


HERE = Path(__file__).parent
make(LATIN, HERE / "latin.ttf", code_points(SCRIPTS))
make(CHINESE, HERE / "chinese.otf", code_points(SIGNS) | set(gb2312()), SIMPLIFIED)
