import { expect, it } from 'vitest'
import { isRedirectUri, isRegistered } from './redirectUris.ts'

it.each([
  'https://claude.ai/api/mcp/auth_callback',
  'https://vscode.dev/redirect',
  'http://127.0.0.1:33418/',
  'http://[::1]:8080/callback',
  'http://localhost/callback?from=x',
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'com.example.app:/callback',
])('a client may be answered at %s', (uri) => expect(isRedirectUri(uri)).toBe(true))

it.each([
  'javascript:alert(1)',
  'javascript://127.0.0.1/%0aalert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'ftp://example.com/',
  'ws://example.com/',
  'ms-msdt:/id',
  'search-ms:query',
  'mailto:a@example.com',
  'http://example.com/callback',
  'http://127.0.0.1.example.com/',
  'http://localhost.example.com/',
  'http://127.0.0.1@example.com/',
  'http://user:word@127.0.0.1/',
  'http://10.0.0.1/',
  'https://user@example.com/',
  'https://example.com/#fragment',
  'https://example.com\\@127.0.0.1/',
  ' https://example.com/',
  'https://example.com/\n',
  'https://example.com/\u0000',
  'https://example.com/\u0007callback',
  '/callback',
  '//example.com',
  '',
  `https://example.com/${'x'.repeat(500)}`,
])('a client is not answered at %j', (uri) => expect(isRedirectUri(uri)).toBe(false))

it('an address must equal a registered one, but for the port on the own computer', () => {
  const registered = ['https://app.example/cb', 'http://127.0.0.1:1/cb', 'http://localhost/cb?x=1']
  const yes = [...registered, 'http://127.0.0.1:65000/cb', 'http://127.0.0.1/cb', 'http://localhost:9/cb?x=1']
  const no = [
    'https://app.example/cb/',
    'https://app.example/CB',
    'https://app.example:444/cb',
    'https://app.example/cb?x',
    'https://app.example.evil/cb',
    'https://app.example/cb/../evil',
    'http://127.0.0.1:1/cb2',
    'http://localhost:1/cb',
    'http://127.0.0.1:1@evil.example/cb',
    'http://127.0.0.1:80:1/cb',
    'http://127.0.0.1:1/x/../cb',
  ]
  for (const uri of yes) expect([uri, isRegistered(uri, registered)]).toEqual([uri, true])
  for (const uri of no) expect([uri, isRegistered(uri, registered)]).toEqual([uri, false])
})
