import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigError, parseEnvironment, VARIABLES } from './environment.ts'
import { readConfig } from './readConfig.ts'

const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-config-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true }))
const read = (env: Record<string, string> = {}) => readConfig({ DATA_DIR, ...env })
const BUCKET = {
  S3_ENDPOINT: 'https://s3.test',
  S3_BUCKET: 'media',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
}
const PAYPAL = {
  PAYPAL_CLIENT_ID: 'client',
  PAYPAL_CLIENT_SECRET: 'secret',
  PAYPAL_WEBHOOK_ID: 'WH',
  PAYPAL_PLAN_STANDARD: 'P-S',
  PAYPAL_PLAN_PRO: 'P-P',
  PAYPAL_PLAN_ULTIMATE: 'P-U',
}

describe('the configuration', () => {
  it('chooses adapters by what is set', () => {
    expect(read()).toMatchObject({ video: { minimax: undefined }, payments: { paypal: undefined }, storage: undefined })
    expect(read({ MINIMAX_API_KEY: 'sk', ...PAYPAL, ...BUCKET })).toMatchObject({
      video: { minimax: { apiKey: 'sk', baseUrl: 'https://api.minimax.io' } },
      payments: {
        paypal: {
          clientId: 'client',
          clientSecret: 'secret',
          baseUrl: 'https://api-m.paypal.com',
          webhookId: 'WH',
          plans: { standard: 'P-S', pro: 'P-P', ultimate: 'P-U' },
        },
      },
      storage: {
        endpoint: 'https://s3.test',
        bucket: 'media',
        accessKeyId: 'id',
        secretAccessKey: 'secret',
        region: 'us-east-1',
      },
    })
    const STRIPE = { STRIPE_SECRET_KEY: 'sk_test', STRIPE_WEBHOOK_SECRET: 'whsec_test' }
    const { tills, stripe } = read({ ...STRIPE, ...PAYPAL, PAYMENTS: 'paypal, stripe' }).payments
    expect(tills).toEqual(['paypal', 'stripe'])
    expect(stripe).toEqual({ secretKey: 'sk_test', webhookSecret: 'whsec_test', baseUrl: 'https://api.stripe.com' })
    expect(read({ ...STRIPE, ...PAYPAL }).payments.tills).toEqual(['stripe', 'paypal'])
    expect(read({ ...STRIPE, ...PAYPAL, PAYMENTS: 'paypal' }).payments.stripe).toBe(undefined)
    expect(() => read({ ...PAYPAL, PAYMENTS: 'stripe' })).toThrow('PAYMENTS names stripe, but the STRIPE_ settings')
    expect(() => read({ ...PAYPAL, PAYMENTS: 'paypal,paypal' })).toThrow('PAYMENTS: must be stripe, paypal')
    expect(read({ MINIMAX_API_KEY: '' }).video.minimax).toBe(undefined)
  })

  it.each(['production', 'development'])('refuses an SMTP_URL that is no address without showing it (%s)', (mode) => {
    const settings = { NODE_ENV: mode, SMTP_URL: 'smtp://user:pass#word@host:587', MAIL_FROM: 'Kinora <a@host.test>' }
    const fault = (() => {
      try {
        return read(settings)
      } catch (error) {
        return error as Error
      }
    })()
    expect(fault).toMatchObject({ name: 'ConfigError', message: expect.stringContaining('SMTP_URL') })
    expect(inspect(fault)).not.toContain('pass#word')
  })

  it('names the form of every value that it refuses', () => {
    const messages = VARIABLES.flatMap((name) =>
      // No value of a limited form fits all of these.
      ['no\nform', '-1', 'x'.repeat(300)].flatMap((value) => {
        try {
          parseEnvironment({ [name]: value })
          return []
        } catch (error) {
          return [(error as Error).message]
        }
      }),
    )
    expect(messages.length).toBeGreaterThan(60)
    for (const message of messages) expect(message).toMatch(/^[A-Z\d_]+: must be (?!Invalid)\S.{5,}$/)
    expect(messages).toContain('PORT: must be a whole number from 0 to 65535')
    expect(messages).toContain('LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent')
  })

  it.each([
    ['FAL_KEY', 'one\ntwo', 'one line'],
    ['PORT', '0x10', 'a whole number from 0 to 65535'],
    ['PORT', '99999999999999999999', 'a whole number from 0 to 65535'],
    ['DRAIN_MS', '1e3', 'a whole number from 0 to 60000'],
    [
      'ALERT_WEBHOOK',
      'https://me:secret@host.test',
      'an address such as https://host.example, without a user and password',
    ],
    ['WEBHOOK_PRIVATE_HOSTS', 'n8n:5678', 'hosts without ports, with a comma between, such as n8n,10.0.0.7'],
    ['VIDEOS_API_URL', 'https://me@host.test', 'an address such as https://host.example, without a user and password'],
  ])('refuses %s=%j and names the form once', (name, value, form) => {
    expect(() => read({ [name]: value })).toThrow(new ConfigError(`${name}: must be ${form}`))
  })

  it('takes a blank variable as unset', () => {
    const blank = Object.fromEntries(VARIABLES.filter((name) => name !== 'DATA_DIR').map((name) => [name, ' \t']))
    expect(inspect(read(blank))).toEqual(inspect(read()))
  })

  it.each(['postgres://user:pass#word@host/kinora', 'postgres://user:pass/word@host/kinora', 'mysql://host/kinora'])(
    'refuses a DATABASE_URL that is no address, without showing it: %s',
    (DATABASE_URL) => {
      expect(() => read({ DATABASE_URL })).toThrow(
        /^This layout would not work:\n- DATABASE_URL is not an address such as \S+, in which .* such as %23 for #$/,
      )
    },
  )

  it('accepts a DATABASE_URL of a socket, and one with blanks', () => {
    for (const DATABASE_URL of ['postgres://me@/kinora?host=/run/postgresql', 'postgres://me:a b@host/kinora'])
      expect(read({ DATABASE_URL }).database?.url).toBe(DATABASE_URL)
  })

  it('refuses one port for two servers', () => {
    expect(() => read({ PORT: '3100', HEALTH_PORT: '3100' })).toThrow('HEALTH_PORT and PORT are both 3100')
  })

  it('requires all PayPal variables or none, and names the missing ones', () => {
    expect(() => read({ ...PAYPAL, PAYPAL_PLAN_PRO: '' })).toThrow(/^PAYPAL_PLAN_PRO: [^\n]*$/)
    expect(read({ PAYPAL_BASE_URL: 'https://api-m.sandbox.paypal.com' }).payments.paypal).toBe(undefined)
  })

  it('requires all bucket variables or none, and names the missing ones', () => {
    expect(() => read({ ...BUCKET, S3_BUCKET: '', S3_ENDPOINT: '' })).toThrow(/^S3_ENDPOINT: .*\nS3_BUCKET: [^\n]*$/)
  })

  it('refuses production while anything is missing, and names exactly what', () => {
    const faults = (env: Record<string, string>) => {
      try {
        read({ NODE_ENV: 'production', ...env })
        return []
      } catch (error) {
        return (error as Error).message.split('\n- ').slice(1)
      }
    }
    expect(faults({})).toEqual(['PUBLIC_URL is not set', expect.stringMatching(/^No video engine is set: .*FAL_KEY/)])
    expect(faults({ PAYMENTS: 'paypal' }).slice(2)).toEqual(Object.keys(PAYPAL).map((name) => `${name} is not set`))
    expect(faults({ PAYMENTS: 'sandbox' }).slice(2)).toEqual([expect.stringMatching(/^PAYMENTS is sandbox/)])
    const DATABASE_URL = 'postgres://kinora@db/kinora'
    expect(faults({ DATABASE_URL })).toEqual(faults({}))
    expect(faults({ DATABASE_URL, SESSION_SECRET: 'a session secret of the test suite' })).toContainEqual(
      expect.stringMatching(/^ENCRYPTION_KEY is not set, but hosts/),
    )
    expect(faults({ DATABASE_URL, ROLES: 'api' }).slice(1, 4)).toEqual([
      expect.stringMatching(/^SESSION_SECRET is not set, but hosts/),
      expect.stringMatching(/^ENCRYPTION_KEY is not set, but hosts/),
      expect.stringMatching(/^OPERATOR_PASSWORD is not set, but hosts/),
    ])
    expect(faults({ AUDIT_KEY_FILE: '' })).toEqual(faults({}))
    const complete = {
      SESSION_SECRET: 'a session secret of the test suite',
      ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
      PUBLIC_URL: 'https://kinora.test',
      SMTP_URL: 'smtps://mail.test',
      MAIL_FROM: 'Kinora <hello@kinora.test>',
      OPERATOR_PASSWORD: 'twelve chars',
      MINIMAX_API_KEY: 'sk',
      ...PAYPAL,
    }
    expect(faults(complete)).toEqual([])
    expect(faults({ ...complete, PAYPAL_WEBHOOK_ID: '' })).toEqual(['PAYPAL_WEBHOOK_ID is not set'])
    expect(faults({ ...complete, OPERATOR_PASSWORD: 'eleven char' })).toEqual([
      'OPERATOR_PASSWORD has fewer than 12 characters',
    ])
    for (const known of [
      { SESSION_SECRET: 'development-only-development-only' },
      { ENCRYPTION_KEY: '0'.repeat(64) },
      { OPERATOR_PASSWORD: 'development-only-operator' },
    ])
      expect(faults({ ...complete, ...known })).toEqual([expect.stringContaining('docker-compose.yml')])
    expect(faults({ ...complete, PUBLIC_URL: 'http://kinora.test' })).toContain(
      'PUBLIC_URL is not https: cookies would be insecure',
    )
    for (const [change, sentence] of [
      [{ SESSION_SECRET: 'ab'.repeat(20) }, /^SESSION_SECRET has fewer than 8 different characters/],
      [{ ENCRYPTION_KEY: '01'.repeat(32) }, /^ENCRYPTION_KEY has fewer than 6/],
      [{ OPERATOR_PASSWORD: 'a'.repeat(20) }, /^OPERATOR_PASSWORD has fewer than 5/],
      [{ PAYPAL_BASE_URL: 'https://api-m.sandbox.paypal.com' }, /^PAYPAL_BASE_URL is a sandbox/],
      [{ MINIMAX_BASE_URL: 'http://minimax.test' }, /^MINIMAX_BASE_URL is not https/],
      [{ PUBLIC_URL: 'https://ada:secret@kinora.test' }, /^PUBLIC_URL contains a user name/],
      [{ PUBLIC_URL: 'https://localhost' }, /^PUBLIC_URL is localhost/],
      [{ SMTP_URL: 'smtp://mail.test?ignoreTLS=true' }, /^SMTP_URL says ignoreTLS/],
      [{ SUPPORT_EMAIL: 'support@kinora.example' }, /^SUPPORT_EMAIL is support@kinora.example, an example/],
      [{ SMPT_URL: 'x' }, /^SMPT_URL is not a setting of Kinora: did you mean SMTP_URL\?$/],
      [{ TRUSTED_PROXY: '1' }, undefined],
      [{ DATABASEURL: 'x' }, /^DATABASEURL .* DATABASE_URL\?$/],
      [{ MINIMAX_BASE_URL: 'http://127.0.0.1:9000', HOME: '/', HOSTNAME: 'x' }, undefined],
    ] as const)
      expect(faults({ ...complete, ...change })).toEqual(sentence ? [expect.stringMatching(sentence)] : [])
    expect(read({ NODE_ENV: 'production', ...complete }).http.supportEmail).toBe('')
  })

  it.for(['http://localhost:3000/videos', 'https://kinora.test/?a=b', 'https://kinora.test/#a'])(
    'refuses %s as PUBLIC_URL in every mode, because links in mails would lose their path',
    (PUBLIC_URL) => {
      for (const NODE_ENV of ['development', 'test', 'production'])
        expect(() => read({ NODE_ENV, PUBLIC_URL })).toThrow(
          /PUBLIC_URL: .*without a path: Kinora needs a host of its own/,
        )
    },
  )

  it('opens development to other machines only if told to', () => {
    expect(() => read({ HOST: '0.0.0.0' })).toThrow(/^Development mode refuses to start:\n- HOST is 0.0.0.0/)
    expect(read({ HOST: '0.0.0.0', KINORA_ALLOW_OPEN_DEVELOPMENT: '1' }).http.host).toBe('0.0.0.0')
    for (const HOST of ['localhost', '127.0.0.1', '::1']) expect(read({ HOST }).http.host).toBe(HOST)
  })

  it('refuses a layout whose processes would not work together, and gives every reason', () => {
    const faults = (env: Record<string, string>) => {
      try {
        read(env)
        return []
      } catch (error) {
        return (error as Error).message.split('\n- ').slice(1)
      }
    }
    expect(faults({ ROLES: 'api' }).map((fault) => fault.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'PUBLIC_URL',
      'SESSION_SECRET',
      'ENCRYPTION_KEY',
    ])
    const shared = {
      DATABASE_URL: 'postgres://kinora@db/kinora',
      PUBLIC_URL: 'https://kinora.test',
      SESSION_SECRET: 's'.repeat(32),
      ENCRYPTION_KEY: 'e'.repeat(64),
    }
    for (const ROLES of ['api', 'projections', 'workflows', 'api,projections']) {
      expect(faults({ ROLES, ...shared })).toEqual([])
      for (const name of Object.keys(shared))
        expect(faults({ ROLES, ...shared, [name]: '' })).toEqual([expect.stringMatching(`^${name} is not set`)])
    }
    expect(faults({ ROLES: 'workflows,api, projections' })).toEqual([])
    expect(faults({ ROLES: 'api', ...shared, ...BUCKET })).toEqual([expect.stringMatching(/^OPERATOR_PASSWORD/)])
    expect(faults({ ROLES: 'projections', ...shared, ...BUCKET })).toEqual([])
    expect(() => read({ ROLES: 'api,cook' })).toThrow('"cook" is none of')
    expect(() => read({ ROLES: ',' })).toThrow('is none of')
    expect(faults({ DATABASE_URL: 'mysql://db/kinora' })).toEqual([
      expect.stringMatching(/^DATABASE_URL is not an address/),
    ])
    expect(faults({ EVENTSTORE_URL: 'http://events:2113' })).toEqual([
      expect.stringMatching(/^EVENTSTORE_URL is not an address/),
    ])
  })

  it('generates the operator password once, in a file with mode 0600', () => {
    rmSync(path.join(DATA_DIR, 'operator-password'), { force: true })
    const first = read().operators
    expect(first).toEqual({
      username: 'operator',
      password: expect.stringMatching(/^[\w-]{22}$/),
      isNew: true,
      timeZone: 'UTC',
    })
    expect(read().operators).toEqual({ ...first, isNew: false })
    expect(statSync(path.join(DATA_DIR, 'operator-password')).mode & 0o777).toBe(0o600)
    expect(read({ OPERATOR_USERNAME: 'olga', OPERATOR_PASSWORD: 'given' }).operators).toMatchObject({
      username: 'olga',
      password: 'given',
      isNew: false,
    })
  })

  it('admits 40 units of work a second of a client, and 800 of a network outside production', () => {
    expect(read().http.rates).toEqual({ session: 40, network: 800 })
    const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://a.test', MINIMAX_API_KEY: 'sk' }
    expect(read(production).http.rates).toEqual({ session: 40, network: 40 })
  })

  it('generates no operator password before a start uses it, so that a program or a failed start hides none', () => {
    const unused = path.join(DATA_DIR, 'unused')
    read({ DATA_DIR: unused })
    expect(existsSync(path.join(unused, 'operator-password'))).toBe(false)
    expect(read({ DATA_DIR: unused }).operators.isNew).toBe(true)
  })

  it('names DATA_DIR if it is a file', () => {
    const file = path.join(DATA_DIR, 'a-file')
    writeFileSync(file, '')
    expect(() => read({ DATA_DIR: file })).toThrow(
      new ConfigError(`DATA_DIR: cannot write to ${file} (ENOTDIR). Use a folder that Kinora may write`),
    )
  })

  it('names DATA_DIR if its folder cannot be created', () => {
    expect(() => read({ DATA_DIR: '/proc/kinora/data' })).toThrow(/^DATA_DIR: cannot create \/proc\/kinora\/data/)
  })

  it('spells private hosts as addresses do', () => {
    expect(read().privateHosts).toEqual([])
    expect(read({ WEBHOOK_PRIVATE_HOSTS: 'N8N, 10.7, fd00:0::1' }).privateHosts).toEqual(['n8n', '10.0.0.7', 'fd00::1'])
  })

  it('accepts time zone names but no offsets', () => {
    expect(read({ OPERATOR_TIME_ZONE: 'Australia/Lord_Howe' }).operators.timeZone).toBe('Australia/Lord_Howe')
    for (const zone of ['Europe/Nowhere', '+01:00', 'somewhere'])
      expect(() => read({ OPERATOR_TIME_ZONE: zone })).toThrow('OPERATOR_TIME_ZONE: must be an IANA time zone')
  })
})
