import { describe, expect, it } from 'vitest'
import { parseUserAgent } from './userAgent.ts'

const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)'

describe('a user agent', () => {
  it.each([
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/131.0.0.0 Safari/537.36`, 'Chrome', 'Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/131.0.0.0 Safari/537.36 Edg/131.0`, 'Edge', 'Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox', 'Linux'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${KHTML} Version/18.0 Safari/605.1.15`, 'Safari', 'macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${KHTML} CriOS/131.0 Mobile Safari/604.1`,
      'Chrome',
      'iPhone',
    ],
    [
      `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${KHTML} Chrome/131.0 Mobile Safari/537.36 MicroMessenger/8.0`,
      'WeChat',
      'Android',
    ],
    ['curl/8.5.0', null, null],
    ['', null, null],
  ])('is parsed: %s', (userAgent, browser, system) => {
    expect(parseUserAgent(userAgent)).toEqual({ browser, system })
  })
})
