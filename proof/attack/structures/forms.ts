import { pick, type Random } from '../generate.ts'
import { pictureBytes } from '../work.ts'
import { bytes, framed, headOf, type MakeStructure, noise, odd, upTo } from './structure.ts'

const PICTURE = pictureBytes()
const JPEG = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(30_000, 1)])
const BOUNDARIES = [
  'b',
  '----WebKitFormBoundaryABCDEFGHIJKLMpt0',
  'b'.repeat(70),
  'b'.repeat(71),
  "'()+_,-./:=?",
  '--',
  'é',
  '',
]
const DISPOSITIONS = [
  'form-data; name="file"; filename="a.png"',
  'form-data; name="file"; filename="a.png"',
  'form-data; name="a"',
  'form-data; name="crop"',
  'form-data; name=file',
  'form-data; name=""',
  'form-data; filename="a.png"; name="file"',
  'form-data; filename="; name=file"',
  'form-data; filename="C:\\a\\b.png"; name="file"',
  `form-data; name="file"; filename*=UTF-8''%e4%b8%80.png`,
  'form-data; name="file',
  'form-data; name="__proto__"; filename="__proto__"',
  'form-data; name="file"; name="a"',
  'form-data',
  'attachment; name="file"; filename="a.png"',
  '',
]
const TYPES = [
  'image/png',
  'image/jpeg',
  'text/plain',
  'application/octet-stream',
  'multipart/mixed; boundary=c',
  '',
  'x',
]
const ENCODINGS = ['7bit', '8bit', 'binary', 'base64', 'quoted-printable', 'utf-8', 'x', '']
const FAULTY_LINES = [
  ': x',
  'no colon',
  ' folded',
  '\0: x',
  'X-1: y',
  'é: x',
  `X: ${'x'.repeat(9_000)}`,
  `${'x'.repeat(9_000)}: x`,
]
const ENDS = ['', '--', '--\r\n', '-', '\r\n', '--\r\nmore\r\n', ' --']

/** Names of the parts of an order by a program. */
const ORDER_PARTS = [
  ...['input_reference"; filename="a.png', 'input_reference', 'input_reference[image_url]', 'input_reference[file_id]'],
  ...['model', 'prompt', 'seconds', 'seed', 'n', 'video[id]', 'video'],
]

/** Operations that accept forms, by who sends them. */
const DOORS = [
  { who: 'visitor', path: '/api/v1/auth/start/image' },
  { who: 'user', path: '/api/v1/videos/upload-image' },
  { who: 'program', path: '/v1/videos' },
  { who: 'program', path: '/v1/videos/extensions' },
] as const

/** Makes forms with files, for the operations that accept them. */
export const forms: MakeStructure = (random, sender) => {
  const { who, path } = pick(random, DOORS)
  const credentials = {
    visitor: [],
    user: [`Cookie: ${sender.cookie}`],
    program: [`Authorization: Bearer ${sender.key}`],
  }
  const boundary = odd(random) ? pick(random, BOUNDARIES) : 'b'
  const declared = odd(random, 0.05) ? pick(random, ['c', '"b', 'b; boundary=c', '']) : boundary
  const type = odd(random, 0.05)
    ? pick(random, ['multipart/mixed', 'multipart/', 'multipart/form-data/x'])
    : 'multipart/form-data'
  const head = [
    ...headOf(`POST ${path} HTTP/1.1`, sender),
    `Content-Type: ${type}; boundary=${/[^\w-]/.test(declared) ? `"${declared}"` : declared}`,
    ...credentials[who],
  ]
  const line = odd(random, 0.05) ? pick(random, ['\n', '\r']) : '\r\n'
  const count = odd(random) ? upTo(random, 30) : 1 + upTo(random, 2)
  const names = who === 'program' ? ORDER_PARTS : []
  const parts = Array.from({ length: count }, () => partOf(random, boundary, line, names))
  const end = odd(random) ? pick(random, ENDS) : '--\r\n'
  const before = odd(random, 0.1) ? pick(random, ['\r\n', 'x\r\n', `--${boundary}`, '-'.repeat(1_000)]) : ''
  const body = Buffer.concat([bytes(before), ...parts.map(({ content }) => content), bytes(`--${boundary}${end}`)])
  return framed(
    random,
    `${path}, ${parts
      .map(({ what }) => what)
      .join(' + ')
      .slice(0, 300)}`,
    head,
    body,
  )
}

function partOf(random: Random, boundary: string, line: string, names: readonly string[]) {
  const isNamed = names.length > 0 && !odd(random)
  const disposition = isNamed ? `form-data; name="${pick(random, names)}"` : pick(random, DISPOSITIONS)
  const encoding = odd(random) ? pick(random, ENCODINGS) : undefined
  const [name, content] = pick(random, CONTENTS)(random, boundary)
  const headers = [
    `Content-Disposition: ${odd(random, 0.05) ? disposition.replace('file', 'f'.repeat(upTo(random, 100_000))) : disposition}`,
    ...(odd(random, 0.5) ? [`Content-Type: ${pick(random, TYPES)}`] : []),
    ...(encoding === undefined ? [] : [`Content-Transfer-Encoding: ${encoding}`]),
    ...(odd(random, 0.1) ? [pick(random, FAULTY_LINES)] : []),
    ...(odd(random, 0.05) ? [`Content-Disposition: ${pick(random, DISPOSITIONS)}`] : []),
  ].filter(() => !odd(random, 0.03))
  if (odd(random, 0.1)) headers.reverse()
  const text = `--${boundary}${line}${headers.join(line)}${line}${line}`
  return {
    what: `${name} as ${disposition}${encoding === undefined ? '' : ` in ${encoding}`}`,
    content: Buffer.concat([bytes(text), content, bytes(odd(random, 0.05) ? '' : line)]),
  }
}

const ADDRESSES = [
  ...['data:image/png;base64,', `data:image/png;base64,${PICTURE.toString('base64')}`, 'data:image/png,x', 'data:'],
  ...['{"image_url":"data:image/png;base64,AAAA"}', '{"image_url":{}}', '{"image_url":', '{', '{}', '[object Object]'],
  ...[`{"image_url":"data:image/png;base64,${'A'.repeat(40_000)}"}`, `{"a":[${'['.repeat(40_000)}`],
]

type Content = (random: Random, boundary: string) => readonly [string, Buffer]
const CONTENTS: readonly Content[] = [
  () => ['a false JPEG', JPEG],
  () => ['a false JPEG', JPEG],
  (random) => ['a picture cut short', PICTURE.subarray(0, upTo(random, PICTURE.length))],
  () => ['nothing', Buffer.alloc(0)],
  () => ['a crop', bytes('0.1,0,0.95,1')],
  () => ['a model', bytes('MiniMax-Hailuo-02')],
  (random) => ['an address', bytes(pick(random, ADDRESSES))],
  (random) => ['text', Buffer.alloc(upTo(random, 12_000), 'text ')],
  (random) => ['noise', noise(random, upTo(random, 2_000))],
  (random, boundary) => [
    'parts of a boundary',
    bytes(`\r\n--${boundary.slice(0, -1)}\r\n-`.repeat(1 + upTo(random, 500))),
  ],
  () => ['a form', bytes('--c\r\nContent-Disposition: file; filename="a.png"\r\n\r\nx\r\n--c--')],
]

/** Requests that have ended a process, or that are most like them. They come first. */
export const FORMER: readonly MakeStructure[] = [
  ...['/api/v1/auth/start/image', '/api/v1/videos/upload-image'].map(
    (path): MakeStructure =>
      (_, sender) => {
        const file = 'Content-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg'
        const part = Buffer.concat([bytes(`--b\r\n${file}\r\n\r\n`), JPEG, bytes('\r\n')])
        return formerly('two files', path, Buffer.concat([part, part]), sender)
      },
  ),
  (_, sender) => {
    const field = 'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: 7bit'
    return formerly('a field in 7bit', '/api/v1/auth/start/image', bytes(`--b\r\n${field}\r\n\r\nx\r\n`), sender)
  },
]

function formerly(what: string, path: string, parts: Buffer, sender: Parameters<MakeStructure>[1]) {
  const body = Buffer.concat([parts, bytes('--b--\r\n')])
  const head = [
    ...headOf(`POST ${path} HTTP/1.1`, sender),
    `Cookie: ${sender.cookie}`,
    'Content-Type: multipart/form-data; boundary=b',
    `Content-Length: ${body.length}`,
  ]
  return { what, pieces: [bytes(`${head.join('\r\n')}\r\n\r\n`), body], ending: 'answer' } as const
}
