import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import type { Invoice } from '../subscriptions/contract.ts'
import { FULL } from '../testing/fullRun.ts'
import { postDev, read, soon } from '../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import { pdfText } from './testing/pdfText.ts'

const SELLER = {
  SELLER_NAME: 'Łódź Film GmbH',
  SELLER_ADDRESS: 'Piotrkowska 1; 90-001 Łódź; Poland',
  SELLER_VAT_ID: 'PL1234567890',
  TAX_RATE: '19',
}
const SALES = FULL ? 30 : 8
let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ env: SELLER })
})
afterAll(() => kinora?.close())

/** Buys a pack. Returns the id of its order. */
async function buyPack(user: TestUser): Promise<string> {
  const answer = await user.call('POST', '/credits/packs/small/buy', {})
  const { data } = (await answer.json()) as { data: { order_id: string } }
  await postDev(kinora, `paypal/${data.order_id}/approve`)
  return data.order_id
}
const invoicesOf = async (user: TestUser) =>
  (await read<{ invoices: Invoice[] }>(user, '/subscriptions/invoices')).invoices
/** Returns the invoice of the user's only sale. */
async function issued(user: TestUser): Promise<Invoice & { pdf: string }> {
  await soon(async () => expect(await invoicesOf(user)).toMatchObject([{ pdf: expect.any(String) }]))
  return (await invoicesOf(user))[0] as Invoice & { pdf: string }
}
const openPdf = (user: TestUser, pdf: string) => fetch(kinora.url + pdf, { headers: { cookie: user.cookie } })
const textOf = async (user: TestUser, pdf: string) => pdfText(await (await openPdf(user, pdf)).arrayBuffer())
const mailsTo = async ({ email }: TestUser, about: string) =>
  (await kinora.mails(email)).map(({ subject }) => subject).filter((subject) => subject.includes(about))

describe('an invoice', () => {
  it(`is issued and mailed once for each of ${SALES} sales at the same time, without a gap`, async () => {
    const users = await Promise.all(Array.from({ length: SALES }, () => kinora.newUser()))
    await Promise.all(users.map(buyPack))
    const invoices = await Promise.all(users.map(issued))
    const numbers = invoices.map(({ number }) => Number(number.slice('K-'.length))).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: SALES }, (_, n) => numbers[0]! + n))
    for (const [n, user] of users.entries())
      await soon(async () =>
        expect(await mailsTo(user, 'K-')).toEqual([`Your invoice ${invoices[n]!.number} from Kinora`]),
      )
  })

  it('says in its PDF what was known of the buyer then, in the language of the account', async () => {
    const user = await kinora.newUser()
    await user.call('PUT', '/users/language', { language: 'zh' })
    const details = {
      name: '王小明 \u200f\u{20BB7} 😀',
      address: '新疆\n乌鲁木齐',
      country: '中国',
      vat_id: 'de 123.456-789',
    }
    const saved = { ...details, name: '王小明 \u{20BB7} 😀', vat_id: 'DE123456789' }
    const answer = await user.call('PUT', '/subscriptions/billing-details', details)
    expect([answer.status, await answer.json()]).toEqual([200, saved])
    await buyPack(user)
    const { pdf, number } = await issued(user)
    await user.call('PUT', '/subscriptions/billing-details', {})
    expect(await read(user, '/subscriptions/billing-details')).toEqual({
      name: '',
      address: '',
      country: '',
      vat_id: '',
    })
    const found = await openPdf(user, pdf)
    expect([found.status, found.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const [title, shown, , , ...rest] = await pdfText(await found.arrayBuffer())
    expect([title, shown, ...rest]).toEqual([
      '账单',
      `编号 ${number}`,
      '销售方 购买方',
      'Łódź Film GmbH 王小明 U+20BB7 U+1F600',
      'Piotrkowska 1 新疆',
      '90-001 Łódź 乌鲁木齐',
      'Poland 中国',
      '增值税号: PL1234567890 增值税号: DE123456789',
      '项目 金额',
      'Kinora 积分包 USD 4.19',
      '300 积分',
      '不含税金额 USD 4.19',
      '增值税 19% USD 0.80',
      '价税合计 USD 4.99',
      '款项已付清。',
    ])
  })

  it('is corrected by a credit note, which is mailed', async () => {
    const user = await kinora.newUser()
    const order = await buyPack(user)
    const { number } = await issued(user)
    await postDev(kinora, `paypal/${order}/refund`)
    await soon(async () => expect(await invoicesOf(user)).toMatchObject([{ corrections: [{ amount: 499 }] }]))
    const [invoice] = await invoicesOf(user)
    const [note] = invoice!.corrections
    expect(invoice).toMatchObject({ number, refunded: 499, corrections: [{ kind: 'credit_note' }] })
    const text = await textOf(user, note!.pdf)
    expect(text).toEqual(expect.arrayContaining(['Credit note', `For invoice ${number}`, 'Total USD -4.99']))
    await soon(async () => expect(await mailsTo(user, note!.number)).toHaveLength(1))
  })

  it('opens for its owner only', async () => {
    const [owner, other] = [await kinora.newUser(), await kinora.newUser()]
    await buyPack(owner)
    const { pdf } = await issued(owner)
    expect((await openPdf(other, pdf)).status).toBe(404)
    expect((await fetch(kinora.url + pdf)).status).toBe(401)
    expect((await openPdf(owner, pdf.replace(/[^/]*$/, 'x.pdf'))).status).toBe(404)
  })

  it('outlives the account, for the operator', async () => {
    const user = await kinora.newUser()
    await user.call('PUT', '/subscriptions/billing-details', { name: 'Ada Lovelace' })
    await buyPack(user)
    const { pdf, number } = await issued(user)
    await user.call('POST', '/users/delete', { password: 'correct horse' })
    expect((await openPdf(user, pdf)).status).toBe(401)
    const rows = await kinora.context.pool.query('select from billing_details where user_id = $1', [user.userId])
    expect(rows.rowCount).toBe(0)
    let printed = ''
    const env = { DATA_DIR: kinora.dataDir }
    const code = await runAudit(['invoices'], { env, print: (text) => (printed += text), printError: console.error })
    expect(code).toBe(0)
    expect(printed.split('\r\n').find((line) => line.includes(number))).toMatch(/,Ada Lovelace,.*,USD,4\.99,0\.8,19,/)
  })

  it('agrees with its sale, by the audit', async () => {
    let printed = ''
    const env = { DATA_DIR: kinora.dataDir }
    const code = await runAudit(['verify'], { env, print: (text) => (printed += text), printError: console.error })
    expect([code, printed]).toEqual([0, expect.any(String)])
  })
})
