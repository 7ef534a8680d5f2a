import { describe, expect, it } from 'vitest'
import type { PrintedDocument } from '../document.contract.ts'
import { pdfText } from '../testing/pdfText.ts'
import { drawDocument } from './drawDocument.ts'

const DOCUMENT: PrintedDocument = {
  kind: 'invoice',
  number: 'K-000017',
  about: null,
  language: 'en',
  issuedAt: '2026-11-29T10:00:00.000Z',
  suppliedAt: '2026-11-28T10:00:00.000Z',
  seller: { name: 'Łódź Film sp. z o.o.', address: ['Piotrkowska 1', '90-001 Łódź'], vatId: 'PL1234567890' },
  buyer: { name: '王小明', address: ['新疆维吾尔自治区乌鲁木齐市', 'Αθήνα, Київ'], vatId: 'ATU12345678' },
  item: ['Kinora Pro, monthly', '4,500 credits'],
  amountCents: 4499,
  taxCents: 718,
  currency: 'USD',
  rate: 19,
  reverseCharge: false,
}
const textOf = async (change: Partial<PrintedDocument> = {}) => pdfText(await drawDocument({ ...DOCUMENT, ...change }))

describe('the PDF of an invoice', () => {
  it('says what the invoice says, in English', async () => {
    expect(await textOf()).toEqual([
      'Invoice',
      'Number K-000017',
      'Date November 29, 2026',
      'Date of supply November 28, 2026',
      'Seller Buyer',
      'Łódź Film sp. z o.o. 王小明',
      'Piotrkowska 1 新疆维吾尔自治区乌鲁木齐市',
      '90-001 Łódź Αθήνα, Київ',
      'VAT ID: PL1234567890 VAT ID: ATU12345678',
      'Item Amount',
      'Kinora Pro, monthly USD 37.81',
      '4,500 credits',
      'Net amount USD 37.81',
      'VAT 19% USD 7.18',
      'Total USD 44.99',
      'The amount has been paid.',
    ])
  })

  it('says what a credit note says, in Chinese', async () => {
    const note = { kind: 'credit_note', number: 'K-000018', about: 'K-000017', language: 'zh' } as const
    expect(await textOf({ ...note, item: ['Kinora 专业版，按月订阅', '4,500 积分'], reverseCharge: true })).toEqual([
      '贷项通知单',
      '编号 K-000018',
      '日期 2026年11月29日',
      '服务提供日期 2026年11月28日',
      '对应账单 K-000017',
      '销售方 购买方',
      'Łódź Film sp. z o.o. 王小明',
      'Piotrkowska 1 新疆维吾尔自治区乌鲁木齐市',
      '90-001 Łódź Αθήνα, Київ',
      '增值税号: PL1234567890 增值税号: ATU12345678',
      '项目 金额',
      'Kinora 专业版，按月订阅 USD -37.81',
      '4,500 积分',
      '不含税金额 USD -37.81',
      '增值税 19% USD -7.18',
      '价税合计 USD -44.99',
      'Reverse charge: the buyer owes the VAT.',
      '反向征收：增值税由购买方缴纳。',
      '款项已退还。',
    ])
  })

  it('writes characters that no font has as code points, and breaks long lines', async () => {
    const name = '\u{20BB7}野 👩‍🚀 مرحبا'
    const address = ['很长的地址'.repeat(12), 'x'.repeat(90)]
    const lines = await textOf({ seller: { name, address, vatId: '' }, buyer: null })
    const seller = lines.slice(lines.indexOf('Seller') + 1, lines.indexOf('Item Amount'))
    expect(seller.join('').replaceAll(' ', '')).toBe(
      `U+20BB7野U+1F469U+1F680U+0645U+0631U+062DU+0628U+0627${address.join('')}`,
    )
    expect(Math.max(...seller.map((line) => line.length))).toBeLessThan(60)
  })

  it('says nothing of tax if the operator has set no rate', async () => {
    expect((await textOf({ rate: 0, taxCents: 0 })).filter((line) => /VAT \d|Net/.test(line))).toEqual([])
  })
})
