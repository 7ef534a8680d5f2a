import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMultipart } from './parseMultipart.ts'

const TYPE = 'multipart/form-data; boundary=b'
const part = (headers: string, content = '') => `--b\r\n${headers}\r\n\r\n${content}\r\n`
const field = (name: string, content = '') => part(`Content-Disposition: form-data; name="${name}"`, content)
const parse = (body: string, type = TYPE) =>
  parseMultipart(Buffer.from(body, 'latin1'), type).map(({ name, content }) => [name, content.toString('latin1')])
const outcome = (body: string, type = TYPE) => {
  try {
    return parse(body, type)
  } catch (error) {
    return (error as { fields: { errors: { code: string }[] } }).fields.errors[0]!.code
  }
}

describe('a multipart form', () => {
  it('has the parts that were put in, and is malformed wherever it is cut', () => {
    const content = fc.string({ unit: fc.constantFrom('a', '\r', '\n', '-', 'b', '\0'), maxLength: 12 })
    const parts = fc.array(fc.tuple(fc.constantFrom('file', 'a b', 'é'), content), { minLength: 1, maxLength: 11 })
    const isFree = (list: [string, string][]) =>
      list.every(([, text]) => !`\r\n${text}\r\n--b`.slice(0, -1).includes('\r\n--b'))
    fc.assert(
      fc.property(parts.filter(isFree), fc.nat(), (list, n) => {
        const form = list.map(([name, text]) => field(Buffer.from(name).toString('latin1'), text)).join('')
        expect(parse(`${form}--b--`)).toEqual(list)
        expect(parse(`before\r\n${form}--b--\r\nafter`)).toEqual(list)
        expect(outcome(`${form}--b--`.slice(0, n % (form.length + 4)))).toBe('malformed_form')
      }),
      { seed: 20_261_128 },
    )
  })

  it('may quote its boundary and the names of its parts', () => {
    expect(
      parse(
        '--b c\r\nContent-Disposition: form-data; filename="; name=x"; name=file\r\n\r\n1\r\n--b c--',
        'multipart/form-data; charset=x; boundary="b c"',
      ),
    ).toEqual([['file', '1']])
    expect(parse(`${part('content-type: x/y\r\ncontent-disposition:form-data;name=""')}--b--`)).toEqual([['', '']])
    expect(parse('--b--')).toEqual([])
  })

  it('has the bytes of a part as they were sent, whatever encoding the part names', () => {
    const encoded = (encoding: string) =>
      part(`Content-Disposition: form-data; name=file\r\nContent-Transfer-Encoding: ${encoding}`, 'aGk=')
    for (const encoding of ['base64', '7bit', 'quoted-printable', 'x'])
      expect(parse(`${encoded(encoding)}--b--`)).toEqual([['file', 'aGk=']])
  })

  it.each([
    ['no boundary in the type', field('a'), 'multipart/form-data'],
    ['an empty boundary', field('a'), 'multipart/form-data; boundary='],
    ['a boundary of more than 70 characters', field('a'), `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['another boundary', `${field('a').replace('--b', '--c')}--c--`, TYPE],
    ['text after a boundary', `--bc\r\n${field('a')}--b--`, TYPE],
    ['a part without headers', `${part('')}--b--`, TYPE],
    ['a part without a name', `${part('Content-Disposition: form-data; filename="a"')}--b--`, TYPE],
    ['a part with two names', `${part('Content-Disposition: form-data; name=a; name=b')}--b--`, TYPE],
    [
      'a part with two dispositions',
      `${part('Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b')}--b--`,
      TYPE,
    ],
    ['a part whose headers exceed 8 kB', `${field('a'.repeat(9_000))}--b--`, TYPE],
    ['an empty body', '', TYPE],
  ])('is malformed with %s', (_, body, type) => expect(outcome(body, type)).toBe('malformed_form'))

  it('has at most 24 parts', () => expect(outcome(`${field('a').repeat(25)}--b--`)).toBe('too_many_parts'))
})
