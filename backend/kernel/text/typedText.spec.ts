import { describe, expect, it } from 'vitest'
import { Email, FullName } from '#backend/accounts/contracts/fields.contract.ts'
import { cleanLine, cleanText } from './typedText.contract.ts'

const NAMES: Readonly<Record<string, string>> = {
  amharic: 'ኃይለ ሥላሴ',
  arabic: 'محمّد عبد الرَّحمٰن',
  armenian: 'Արամ Խաչատրյան',
  bengali: 'র‍্যাচেল রহমান',
  burmese: 'အောင်ဆန်းစုကြည်',
  czech: 'Jiří Dvořák',
  english: 'Anne-Marie O’Neill Jr.',
  french: 'François l’Élève',
  georgian: 'შოთა რუსთაველი',
  german: 'Jürgen Groß',
  greek: 'Ιωάννης Παπαδόπουλος',
  gujarati: 'નરસિંહ મહેતા',
  hawaiian: 'Keliʻi Kaʻōpua',
  hebrew: 'דָּוִד בֶּן־גּוּרִיּוֹן',
  hindi: 'श्‍याम सुंदर',
  hungarian: 'Erdős Pál',
  icelandic: 'Björk Guðmundsdóttir',
  japanese: '髙橋 さくら',
  kannada: 'ರಾಜ್‌ಕುಮಾರ್',
  khmer: 'សុខ សុភាព',
  korean: '김철수',
  malayalam: 'നൻ‍ദിനി',
  mongolian: 'ᠴᠢᠩᠭᠢᠰ ᠬᠠᠭᠠᠨ',
  persian: 'علی‌رضا حسینی',
  polish: 'Wisława Łuczyńska',
  sinhala: 'ශ්‍රීමා බණ්ඩාරනායක',
  tamil: 'கண்ணன் சுப்பிரமணியம்',
  thai: 'สมชาย ใจดี',
  turkish: 'İbrahim Işık',
  vietnamese: 'Nguyễn Thị Ánh',
  yoruba: 'Ọlábísí Adé',
  chinese: '王小明',
}

describe('a name', () => {
  it.each(Object.entries(NAMES))('in %s is kept as it is: %s', (_, name) => {
    expect(FullName.parse(name)).toBe(name.normalize('NFC'))
  })

  it.each(['👨‍👩‍👧‍👦 family', '👩🏽‍🚀 Ada', '❤️‍🔥 Ada', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 Ada', '🏳️‍🌈 Ada'])(
    'keeps emoji that are joined from several: %s',
    (name) => {
      expect(FullName.parse(name)).toBe(name)
    },
  )

  it.each([
    ['Ada\u200b Lovelace', 'Ada Lovelace'],
    ['\u202eexe.png\u202c', 'exe.png'],
    ['\u200eAda\u200f', 'Ada'],
    ['Ada\u00adLovelace', 'AdaLovelace'],
    ['\ufeffAda', 'Ada'],
    ['Ada\u0000', 'Ada'],
    ['Ada\r\nLovelace\t Byron', 'Ada Lovelace Byron'],
    ['\u3000王\u3000小明 ', '王 小明'],
    ['Ada\u200d', 'Ada'],
    ['\u200cAda', 'Ada'],
    ['Ada\ud83d', 'Ada'],
    ['Ada \u{e0041}\u{e0042}', 'Ada'],
    ['Ada\u2066Byron\u2069', 'AdaByron'],
  ])('is cleaned of what cannot be seen: %j', (typed, meant) => {
    expect(FullName.parse(typed)).toBe(meant)
  })

  it.each(['\u200b\u200b\u200b', '\u3164\u3164', '\u2800\u2800\u2800', '\u202e\u202c \u00ad'])(
    'that shows nothing is missing: %j',
    (name) => {
      expect(FullName.safeParse(name).error!.issues.map(({ message }) => message)).toEqual(['required'])
    },
  )

  it('is not changed by cleaning it twice', () => {
    for (const name of Object.values(NAMES)) expect(cleanLine(cleanLine(name))).toBe(cleanLine(name))
  })
})

describe('a mail address', () => {
  const spellings = [
    ...[
      'ada@example.com',
      ' ada@example.com ',
      'ADA@Example.COM',
      'ada＠example.com',
      'ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ',
    ],
    ...['ada@example。com', 'ada@example｡com', 'ada@example．com', '\ufeffada@example.com', 'ada@example.com\u200b'],
    ...['a\u200bda@example.com', 'ada\u00ad@example.com', 'ada@exam\u00adple.com', '\u202aada@example.com\u202c'],
    ...['ada@\u2060example.com', 'ada@example.com\u200e', '\u200fada@example.com', 'ada@example.com\u0000'],
    ...[
      'ada@example.com\r\n',
      '\tada@example.com',
      'ada@example.com\u2028',
      'ada\u200d@example.com',
      'ada\u200c@example.com',
    ],
    ...[
      'mailto:ada@example.com',
      'MAILTO:ada@example.com',
      '<ada@example.com>',
      '<ada@example.com>,',
      'ada@example.com,',
    ],
    ...[
      'ada@example.com;',
      'ada@example.com.',
      'ada@example.com>',
      '\u3000ada@example.com\u3000',
      '\u00a0ada@example.com',
    ],
    ...[
      'ada﹫example.com',
      'ada@example.com\u3164',
      '\u2066ada@example.com\u2069',
      'ada@\u200bexample\u200b.\u200bcom',
    ],
    ...['𝒶𝒹𝒶@example.com', 'ada@ⓔxample.com', 'Ada@EXAMPLE.com\u00a0'],
  ]
  it.each(spellings)('is understood when typed as %j', (typed) => {
    expect(Email.parse(typed)).toBe('ada@example.com')
  })

  it.each([
    'ada lovelace@example.com',
    'ada@example',
    'ada@@example.com',
    '@example.com',
    'ada@',
    'ada.example.com',
    'ada@exa mple.com',
  ])('that names no mailbox is refused: %j', (typed) => {
    expect(Email.safeParse(typed).error!.issues.map(({ message }) => message)).toEqual(['invalid_email'])
  })
})

describe('a text of several lines', () => {
  it('loses control characters and halves of surrogate pairs, and keeps its lines', () => {
    expect(cleanText('a\0 cat\ud83d\n\ton a\u0007 hill 🎬\udc00\r\n')).toBe('a cat\n\ton a hill 🎬\r\n')
  })
})
