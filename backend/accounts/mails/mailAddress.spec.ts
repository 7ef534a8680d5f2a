import { describe, expect, it } from 'vitest'
import { domainFault, mailIdentity } from './mailAddress.ts'

describe('the mailbox of an address', () => {
  it.each([
    ['Ada@Kinora.TEST', 'ada@kinora.test'],
    [' ada+videos@kinora.test ', 'ada@kinora.test'],
    ['a.d.a+x+y@gmail.com', 'ada@gmail.com'],
    ['A.da@GoogleMail.com', 'ada@gmail.com'],
    ['ａda@kinora.test', 'ada@kinora.test'],
    ['ada@kinora.test.', 'ada@kinora.test'],
    ['ada@bücher.test', 'ada@xn--bcher-kva.test'],
  ])('%s is %s', (address, identity) => {
    expect(mailIdentity(address)).toBe(identity)
  })
  it.each([
    ['a.d.a@kinora.test', 'ada@kinora.test'],
    ['ada@a.kinora.test', 'ada@kinora.test'],
    ['+ada@kinora.test', '@kinora.test'],
  ])('%s is not %s', (address, other) => {
    expect(mailIdentity(address)).not.toBe(other)
  })
})

describe("an address's domain", () => {
  it.each(['mailinator.com', 'eu.mailinator.com', 'guerrillamail.com', 'YOPmail.com', '10minutemail.com'])(
    'is rejected if it is disposable: %s',
    (domain) => {
      expect(domainFault(`ada@${domain}`, false)).toBe('email_disposable')
      expect(domainFault(`ada@${domain}`, true)).toBe('email_disposable')
    },
  )
  it.each(['gmail.com', 'qq.com', '163.com', 'proton.me', 'kinora.io', 'uni.edu.cn'])('is accepted: %s', (domain) => {
    expect(domainFault(`ada@${domain}`, true)).toBeUndefined()
  })
  it.each(['example.com', 'example.org', 'example.net', 'kinora.test', 'mail.example.com'])(
    'is rejected in production if it is reserved: %s',
    (domain) => {
      expect([domainFault(`ada@${domain}`, false), domainFault(`ada@${domain}`, true)]).toEqual([
        undefined,
        'invalid_email',
      ])
    },
  )
})
