import { afterEach, describe, expect, it, vi } from 'vitest'
import { inLanguage, languageSwitch, rememberLanguage } from './language.ts'

afterEach(() => vi.unstubAllGlobals())

function recorded(save: () => Promise<void>) {
  const steps: string[] = []
  const change = languageSwitch({
    save: (language) => {
      steps.push(`save ${language}`)
      return save()
    },
    remember: (language) => steps.push(`remember ${language}`),
    go: (language) => steps.push(`go ${language}`),
    mark: (language) => steps.push(`mark ${language}`),
    failed: () => steps.push('failed'),
  })
  return { steps, change }
}

describe('the language switch', () => {
  it('leaves the page after the account is saved', async () => {
    const { steps, change } = recorded(async () => {})
    await change('zh')
    expect(steps).toEqual(['mark zh', 'save zh', 'remember zh', 'go zh', 'mark undefined'])
  })

  it('stays on the page after a failure and allows a retry', async () => {
    const { steps, change } = recorded(() => Promise.reject(new Error('down')))
    await change('zh')
    expect(steps).toEqual(['mark zh', 'save zh', 'failed', 'mark undefined'])
    await change('zh')
    expect(steps).toHaveLength(8)
  })

  it('saves once for repeated clicks', async () => {
    const { steps, change } = recorded(async () => {})
    await Promise.all([change('zh'), change('zh')])
    expect(steps.filter((step) => step.startsWith('save'))).toEqual(['save zh'])
  })

  it.each([
    ['is saved', async () => {}],
    ['fails', () => Promise.reject(new Error('down'))],
  ])('saves a choice after the earlier one, and opens its page, although that one %s', async (_, first) => {
    const saves = [first, async () => {}]
    const { steps, change } = recorded(() => saves.shift()!())
    expect(await Promise.all([change('zh'), change('en')])).toEqual([true, true])
    expect(steps).toEqual(['mark zh', 'save zh', 'mark en', 'save en', 'remember en', 'go en', 'mark undefined'])
  })
})

describe('inLanguage', () => {
  it('keeps the query and the anchor', () => {
    const at = { pathname: '/zh/reset-password', search: '?token=a%2Bb', hash: '#x' }
    expect(inLanguage(at, 'en')).toBe('/reset-password?token=a%2Bb#x')
    expect(inLanguage({ pathname: '/', search: '?section=pricing', hash: '' }, 'zh')).toBe('/zh?section=pricing')
  })
})

describe('rememberLanguage', () => {
  it('returns false if storage is unavailable', () => {
    const kept = new Map<string, string>()
    vi.stubGlobal('localStorage', {
      setItem: (key: string, value: string) => kept.set(key, value),
      getItem: (key: string) => kept.get(key) ?? null,
    })
    expect(rememberLanguage('zh')).toBe(true)
    expect(kept.get('language')).toBe('zh')
    vi.stubGlobal('localStorage', undefined)
    expect(rememberLanguage('en')).toBe(false)
  })
})
