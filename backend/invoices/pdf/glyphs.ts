/** A part of a text that one font has the glyphs of. */
export type Run = Readonly<{ font: 'latin' | 'chinese'; text: string }>

/** Returns whether a font has a glyph. */
export type Covers = (font: Run['font'], codePoint: number) => boolean

/** Characters that change others and show nothing themselves, such as joiners and variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

const hex = (codePoint: number) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Splits a text by font. A character that neither font has is written as its code point, never as an empty box.
 * @example runsOf('王小明 😀', covers) // '王小明' in Chinese, ' U+1F600' in Latin
 */
export function runsOf(text: string, covers: Covers): Run[] {
  const runs: { font: Run['font']; text: string }[] = []
  const add = (font: Run['font'], part: string) => {
    const last = runs.at(-1)
    if (last?.font === font) last.text += part
    else runs.push({ font, text: part })
  }
  for (const character of text.normalize('NFC').replace(INVISIBLE, '')) {
    const codePoint = character.codePointAt(0)!
    const font = (['latin', 'chinese'] as const).find((each) => covers(each, codePoint))
    add(font ?? 'latin', font ? character : hex(codePoint))
  }
  return runs
}
