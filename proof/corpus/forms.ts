import type { Answered, Case, Part, Step } from './case.ts'

const VISITOR = 'POST /api/v1/auth/start/image'
const USER = 'POST /api/v1/videos/upload-image'
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg'
/** Begins like a JPEG, and is none. */
const JPEG = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(30_000, 1)])
const OTHER_TYPE = { status: 422, code: 'invalid_file_type' } as const
const invalid = (fault: string) => ({ status: 422, code: 'invalid_input', says: [`(${fault})`] }) as const
const NO_FORM = invalid('body: malformed_form')
const NO_FILE = invalid('file: required')
const ONE_FILE = invalid('file: one_file')

const form = (parts: readonly Part[], answered: Answered): readonly Step[] => [
  { send: VISITOR, form: parts, ...answered },
  { send: USER, as: 'user', form: parts, ...answered },
]
/** Sends bytes that are no valid form. */
const raw = (type: string, body: string, answered: Answered): readonly Step[] => [
  { send: VISITOR, headers: { 'content-type': type }, body, ...answered },
  { send: USER, as: 'user', headers: { 'content-type': type }, body, ...answered },
]
const TYPE = 'multipart/form-data; boundary=b'
/** Uploads a picture with a file name, which matters to nothing. */
const named = (disposition: string): readonly Step[] => {
  const head = `Content-Disposition: form-data; ${disposition}\r\nContent-Type: image/png`
  const parts = [{ head, picture: 'a PNG as octets' }]
  return [
    { send: VISITOR, form: parts, status: 201 },
    { send: USER, as: 'user', form: parts, status: 200 },
  ]
}

/** Forms with files. */
export const forms: readonly Case[] = [
  {
    id: 'two files in one form',
    report: 'https://github.com/eggjs/multipart/issues/68',
    steps: form(
      [
        { head: FILE, content: JPEG },
        { head: FILE, content: JPEG },
      ],
      ONE_FILE,
    ),
  },
  {
    id: 'a file whose memory is freed while another one is written',
    report: 'https://github.com/CapSoftware/Cap/issues/1638',
    steps: form(
      [
        { head: FILE, content: Buffer.alloc(300_000, 'text ') },
        { head: FILE.replace('"file"', '"other"'), content: JPEG },
        { head: FILE, content: JPEG },
      ],
      ONE_FILE,
    ),
  },
  {
    id: 'a form without its last boundary',
    report: 'https://github.com/expressjs/multer/issues/1176',
    steps: raw(TYPE, `--b\r\n${FILE}\r\n\r\ntest without an end`, NO_FORM),
  },
  {
    id: 'a space in the last boundary',
    report: 'https://github.com/expressjs/multer/issues/224',
    steps: raw(TYPE, `--b\r\n${FILE}\r\n\r\ntest\r\n- -b--\r\n`, NO_FORM),
  },
  {
    id: 'a form without a body',
    report: 'https://github.com/eggjs/multipart/issues/68',
    steps: raw(TYPE, '', NO_FORM),
  },
  {
    id: 'a form without a boundary',
    report: 'https://github.com/getodk/central-backend/issues/1435',
    steps: raw('multipart/form-data', '', NO_FORM),
  },
  {
    id: 'a boundary that begins with two hyphens',
    report: 'https://github.com/xproc/3.0-steps/pull/484',
    steps: raw('multipart/form-data; boundary=--', `----\r\n${FILE}\r\n\r\ntest\r\n------\r\n`, OTHER_TYPE),
  },
  {
    id: 'a type of parts that are no form',
    report: 'https://github.com/Endava/cats/issues/4',
    steps: [...raw('multipart', '', NO_FILE), ...raw('multipart/mixed; boundary=b', '--b--', NO_FORM)],
  },
  {
    id: 'a form that ends in its first part',
    report: 'https://github.com/mulesoft/mule/pull/7403',
    steps: [...raw(TYPE, `--b\r\n${FILE}`, NO_FORM), ...raw(TYPE, '--b', NO_FORM)],
  },
  {
    id: 'a quote in a name',
    report: 'https://github.com/mscdex/busboy/issues/370',
    steps: [
      ...form(
        [{ head: 'Content-Disposition: form-data; name="fi"le"; filename="a"b.png"', content: JPEG }],
        invalid('body: fields_too_large'),
      ),
      ...named('name="file"; filename="a"b.png"'),
    ],
  },
  {
    id: 'a field with a transfer encoding',
    report: 'https://github.com/node-formidable/formidable/pull/192',
    steps: ['7bit', '8bit', 'utf-8'].flatMap((encoding) =>
      form(
        [
          { head: `Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: ${encoding}`, content: 'x' },
          { head: FILE, content: JPEG },
        ],
        OTHER_TYPE,
      ),
    ),
  },
  {
    id: 'a file without bytes',
    report: 'https://github.com/immich-app/immich/issues/29416',
    steps: form([{ head: FILE, content: '' }], NO_FILE),
  },
  {
    id: 'a file name that leads out of the folder',
    report: 'https://github.com/expressjs/multer/issues/1345',
    steps: ['../../../etc/passwd', '..\\\\..\\\\a.png', '/etc/passwd', 'a.png\0.html'].flatMap((name) =>
      named(`name="file"; filename="${name}"`),
    ),
  },
  {
    id: 'a file name that is none',
    report: 'https://github.com/immich-app/immich/issues/5421',
    steps: ['.jpg', '', '\u202egnp.exe', '%0d%0aSet-Cookie: a', `${'x'.repeat(300)}.png`].flatMap((name) =>
      named(`name="file"; filename="${name}"`),
    ),
  },
  {
    id: 'a file name in two notations',
    report: 'https://github.com/getpaseo/paseo/issues/1954',
    steps: named(`name="file"; filename="_.png"; filename*=UTF-8''%E8%A6%81%E6%B1%82.png`),
  },
]
