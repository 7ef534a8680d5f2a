import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLog, redact } from './log.ts'
import { traceHeaders } from './tracing.ts'

const lineOf = (write: (log: ReturnType<typeof createLog>) => void) => {
  let text = ''
  const to = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      done()
    },
  })
  write(createLog('info', to))
  return text
}

describe('a log line', () => {
  it('has no field of another line, nor does a call to an engine', () => {
    const lines = lineOf((log) => {
      log.info({ model: 'm1' }, 'one')
      log.info('two')
    })
    expect(lines.split('\n')[1]).not.toContain('m1')
    expect(traceHeaders()).toEqual({})
  })

  it('contains no e-mail address or secret of an error or its causes', () => {
    const refused = Object.assign(new Error('duplicate key: Key (email)=(ada@example.com) already exists.'), {
      code: '23505',
      detail: 'Key (email)=(ada@example.com)',
      parameters: ['ada@example.com', 'correct horse'],
    })
    const error = new Error(
      'GET /ws?token=abc123&x=1 with Bearer eyJhbGciOi failed at postgres://kinora:hunter2@db/kinora',
      {
        cause: refused,
      },
    )
    const line = lineOf((log) => log.error({ err: error }, 'request failed'))
    for (const secret of ['ada@', 'example.com', 'correct horse', 'abc123', 'eyJhbGciOi', 'hunter2'])
      expect(line).not.toContain(secret)
    expect(JSON.parse(line).err).toMatchObject({
      type: 'Error',
      cause: { code: '23505', message: expect.stringContaining('[e-mail]') },
    })
  })

  it.each([
    'Authorization: Key abc123:def456',
    '"authorization":"Token abc123"',
    'authorization=abc123',
    'connect failed: redis://:abc123@cache:6379',
  ])('contains no credential of %j', (text) => {
    expect(redact(text)).not.toMatch(/abc123|def456/)
  })

  it('keeps names, streams, files and stack traces', () => {
    expect(redact('StreamBusy: videoTask-018f at /srv/kinora/lane.ts:90')).toBe(
      'StreamBusy: videoTask-018f at /srv/kinora/lane.ts:90',
    )
    const line = JSON.parse(lineOf((log) => log.error({ err: new TypeError('no id') }, 'oh')))
    expect(line.err).toMatchObject({
      type: 'TypeError',
      message: 'no id',
      stack: expect.stringContaining('log.spec.ts'),
    })
  })
})
