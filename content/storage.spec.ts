import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

/** The row of the privacy policy that describes each key of the browser's storage, in English and Chinese. */
const ROWS: Readonly<Record<string, readonly [string, string]>> = {
  'kinora.user': ['Name and balance', '姓名与余额'],
  'kinora.visit': ['Visit number', '访问编号'],
  'kinora.draft.': ['Unsent forms', '未提交的内容'],
  'kinora.draft.start': ['Unsent forms', '未提交的内容'],
  'kinora.draft.next': ['Requested page', '要打开的页面'],
  'kinora.registered': ['Registered address', '注册的邮箱'],
  'kinora.theatre': ['Display choices', '显示偏好'],
  'kinora.keys': ['Display choices', '显示偏好'],
  'kinora.loop': ['Display choices', '显示偏好'],
  'kinora.payer.': ['Paying team', '付费团队'],
  'kinora.renewed': ['Last renewal', '上次续期'],
  'kinora.remix': ['Remixed film', '再创作的作品'],
  'kinora.handover': ['Next step', '下一步操作'],
  'kinora.ended': ['Next step', '下一步操作'],
}

const site = path.join(import.meta.dirname, '../site/src')
const keys = globSync('**/*.{ts,tsx,js,astro}', { cwd: site })
  .filter((file) => !file.includes('.spec.'))
  .flatMap((file) => readFileSync(path.join(site, file), 'utf8').match(/(?<=')kinora\.[a-z.]+(?=')/g) ?? [])

describe.each(['en', 'zh'])('the privacy policy (%s)', (language) => {
  const text = readFileSync(path.join(import.meta.dirname, language, 'legal/privacy-policy.md'), 'utf8')

  it.each([...new Set(keys)])('describes what the browser stores as %s', (key) => {
    expect(text).toMatch(new RegExp(`^\\| ${ROWS[key]?.[language === 'en' ? 0 : 1]} +\\|`, 'm'))
  })
})
