import { expect, it } from 'vitest'
import { forInstallation } from './forInstallation.ts'

const off = { plans: 'off', registration: 'open' }

it.each([
  ['a<!--if plans=off-->b<!--end-->c', 'abc'],
  ['a<!--if plans=on-->b<!--end-->c', 'ac'],
  ['<!--if plans=on-->a<!--else-->b<!--end-->', 'b'],
  ['<!--if unknown=on-->a<!--else-->b<!--end-->', 'b'],
  ['<!--if plans=off-->a<!--if registration=closed-->b<!--else-->c<!--end-->d<!--else-->e<!--end-->', 'acd'],
  ['<!--if plans=on-->a<!--if registration=open-->b<!--end-->c<!--end-->d', 'd'],
  ['content="&lt;!--if plans=on--&gt;a&lt;!--else--&gt;b&lt;!--end--&gt;"', 'content="b"'],
  ['{"text":"\\u003c!--if plans=on-->a\\u003c!--end-->b"}', '{"text":"b"}'],
  ['<!-- another comment --><p>a</p>', '<!-- another comment --><p>a</p>'],
])('keeps of %s what applies', (text, kept) => expect(forInstallation(text, off)).toBe(kept))
