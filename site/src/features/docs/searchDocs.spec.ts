import { describe, expect, it } from 'vitest'
import { type Section, searchDocs } from './searchDocs.ts'

const section = (page: string, heading: string, text: string): Section => ({ page, heading, to: `/${heading}`, text })
const SECTIONS = [
  section('Backups', 'Restore', 'Into a new folder, on this machine. Copies are encrypted.'),
  section('Production', 'Mail', `${'Long text. '.repeat(40)}With SMTP_URL visitors can register. Restore nothing.`),
  section('备份', '证明它能用', '演练会恢复一份备份，并验证积分账本。'),
]
const found = (query: string) => searchDocs(SECTIONS, query).map(({ section: { heading } }) => heading)

describe('the search of the docs', () => {
  it('finds sections with every word, in any case, and headings first', () => {
    expect(found('restore')).toEqual(['Restore', 'Mail'])
    expect(found('smtp_url REGISTER')).toEqual(['Mail'])
    expect(found('backups folder')).toEqual(['Restore'])
    expect(found('restore elephant')).toEqual([])
    expect(found('  ')).toEqual([])
  })

  it('finds Chinese words that are not written side by side', () => {
    expect(found('积分账本')).toEqual(['证明它能用'])
    expect(found('验证 备份')).toEqual(['证明它能用'])
    expect(found('验证备份')).toEqual(['证明它能用'])
    expect(found('恢复数据')).toEqual([])
  })

  it('shows the text around the first word', () => {
    const { excerpt } = searchDocs(SECTIONS, 'smtp_url')[0]!
    expect(excerpt).toMatch(/^… .*SMTP_URL visitors/)
    expect(excerpt.length).toBeLessThan(160)
  })
})
