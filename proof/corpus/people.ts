import type { Case, Step } from './case.ts'

const named = (typed: string, stored: string): Step => ({
  send: 'PUT /api/v1/users/name',
  as: 'user',
  json: { username: typed },
  status: 200,
  shows: { username: stored },
})
const PASSWORD = 'correct horse battery 9'
const register = (email: string, answered: { status: number; code?: string } = { status: 201 }): Step => ({
  send: 'POST /api/v1/auth/register',
  json: { email, password: PASSWORD, username: 'Ada' },
  ...answered,
})
const login = (email: string, answered: { status: number; code?: string } = { status: 200 }): Step => ({
  send: 'POST /api/v1/auth/login',
  json: { email, password: PASSWORD },
  ...answered,
})
/** Reads the link of the mail to an address. */
const mailTo = (email: string): Step => ({
  send: `GET /dev/mailbox.json?to=${encodeURIComponent(email)}`,
  status: 200,
  take: { token: /verify-email\?token=([^&"\\]+)/ },
  eventually: true,
  says: ['verify-email?token='],
})
const verify = (answered: { status: number; code?: string }): Step => ({
  send: 'POST /api/v1/auth/verify-email',
  json: { token: '{token}' },
  ...answered,
})
/** Registers an address and verifies it by mail. */
const registered = (typed: string, email: string): readonly Step[] => [
  register(typed),
  mailTo(email),
  verify({ status: 200 }),
]
const TAKEN = { status: 409, code: 'email_already_registered' } as const

/** Names, addresses, links and files of people. */
export const people: readonly Case[] = [
  {
    id: 'a half space in a Persian name',
    report: 'https://github.com/kepano/defuddle/pull/103',
    steps: [named('علی\u200cرضا', 'علی\u200cرضا'), named('\u200cعلی\u200c', 'علی')],
  },
  {
    id: 'joiners in emoji and in Sinhala',
    report: 'https://github.com/diegosouzapw/OmniRoute/issues/12186',
    steps: [named('Ada 👨‍👩‍👧', 'Ada 👨‍👩‍👧'), named('ශ්\u200dරී', 'ශ්\u200dරී')],
  },
  {
    id: 'invisible characters around a name',
    report: 'https://github.com/jhy/jsoup/pull/1248',
    steps: [named('\u202eAda\u00ad\u200b\u2066', 'Ada'), named('Ada\u0009\u2028L', 'Ada L')],
  },
  {
    id: 'a formula for an address',
    report: 'https://github.com/hhurz/tableExport.jquery.plugin/issues/230',
    steps: [
      register('=1+1@kinora.test'),
      {
        send: 'GET /api/v1/analytics/tables/users.csv',
        as: 'operator',
        status: 200,
        says: [",'=1+1@kinora.test,"],
        eventually: true,
      },
    ],
  },
  {
    id: 'an address in other letters',
    report: 'https://github.com/appsmithorg/appsmith/issues/2689',
    steps: [
      ...registered('Case.Of@Kinora.Test', 'Case.Of@Kinora.Test'),
      register('case.of@kinora.test', TAKEN),
      login('CASE.OF@KINORA.TEST'),
    ],
  },
  {
    id: 'spaces around an address',
    report: 'https://github.com/hoppscotch/hoppscotch/issues/4027',
    steps: [...registered('  spaces@kinora.test ', 'spaces@kinora.test'), login('spaces@kinora.test\t')],
  },
  {
    id: 'a plus in an address',
    report: 'https://github.com/danny-avila/LibreChat/issues/3084',
    steps: [
      register('plus+tag@kinora.test'),
      { ...mailTo('plus+tag@kinora.test'), says: ['email=plus%2Btag%40kinora.test'] } as Step,
      verify({ status: 200 }),
      login('plus+tag@kinora.test'),
    ],
  },
  {
    id: 'a full-width at sign',
    report: 'https://github.com/whatwg/html/issues/1389',
    steps: [...registered('wide＠kinora．test', 'wide@kinora.test'), register('wide@kinora.test', TAKEN)],
  },
  {
    id: 'a domain in letters and in Punycode',
    report: 'https://github.com/flora-pm/flora-server/issues/561',
    steps: [
      ...registered('idn@bücher.test', 'idn@bücher.test'),
      register('idn@xn--bcher-kva.test', TAKEN),
      login('idn@BÜCHER.test'),
    ],
  },
  {
    id: 'a letter that looks like another',
    report: 'https://github.com/bytebase/bytebase/issues/18943',
    steps: [
      ...registered('testo@kinora.test', 'testo@kinora.test'),
      login('test\u043e@kinora.test', { status: 401, code: 'invalid_credentials' }),
    ],
  },
  {
    id: 'a composed and a decomposed letter',
    report: 'https://github.com/hasgeek/funnel/pull/1277',
    steps: [...registered('zo\u00eb@kinora.test', 'zo\u00eb@kinora.test'), register('zoe\u0308@kinora.test', TAKEN)],
  },
  {
    id: 'a line end in an address',
    report: 'https://github.com/PHPMailer/PHPMailer/issues/1730',
    steps: [
      register('a@kinora.test\r\nBcc: b@kinora.test', { status: 422, code: 'invalid_input' }),
      register('a@kinora.test,b@kinora.test', { status: 422, code: 'invalid_input' }),
    ],
  },
  {
    id: 'a link that a scanner opens first',
    report: 'https://github.com/TryGhost/Ghost/issues/12347',
    needsSite: true,
    steps: [
      register('scanned@kinora.test'),
      mailTo('scanned@kinora.test'),
      { send: 'GET /verify-email?token={token}&email=scanned%40kinora.test', status: 200 },
      { send: 'HEAD /verify-email?token={token}&email=scanned%40kinora.test', status: 200 },
      verify({ status: 200 }),
    ],
  },
  {
    id: 'a link that was used',
    report: 'https://github.com/netlify/netlify-identity-widget/issues/458',
    steps: [...registered('used@kinora.test', 'used@kinora.test'), verify({ status: 422, code: 'already_verified' })],
  },
]
