/** From the particular to the general: Edge and Opera say that they are Chrome, Chrome says that it is Safari. */
const BROWSERS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['WeChat', /MicroMessenger/],
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\/|Opera/],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\/|Chromium\//],
  ['Safari', /Safari\//],
]
const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['ChromeOS', /CrOS/],
  ['Windows', /Windows/],
  ['macOS', /Macintosh|Mac OS X/],
  ['Linux', /Linux|X11/],
]

const first = (marks: typeof BROWSERS, text: string) => marks.find(([, mark]) => mark.test(text))?.[0] ?? null

/** What a user agent says of its browser and system; null where it says nothing that people know. */
export const parseUserAgent = (userAgent: string) => ({
  browser: first(BROWSERS, userAgent),
  system: first(SYSTEMS, userAgent),
})
