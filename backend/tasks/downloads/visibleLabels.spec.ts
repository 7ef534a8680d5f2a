import { describe, expect, it } from 'vitest'
import { createVisibleLabels, type VisibleLabels } from './visibleLabels.ts'

const RECIPIENTS = { wei: 'zh', ada: 'en' } as Readonly<Record<string, string>>

function labels(policy: VisibleLabels['policy']) {
  const requests: unknown[][] = []
  const query = async (sql: string, values: unknown[]) => {
    if (sql.startsWith('insert')) requests.push(values)
    const found = requests.some(([, user, , task]) => task === values[0] && user === values[1])
    return { rowCount: found ? 1 : 0 }
  }
  const recipientOf = async (id: string) => {
    const language = RECIPIENTS[id]
    return language ? { id, email: `${id}@kinora.test`, language } : null
  }
  const pool = { query } as unknown as VisibleLabels['pool']
  return { requests, ...createVisibleLabels({ pool, clock: () => 0, policy, recipientOf }) }
}

describe('the visible label of a download', () => {
  it.each([
    ['auto', true, false],
    ['always', true, true],
    ['never', false, false],
  ] as const)('is set by VIDEO_LABEL=%s', async (policy, forChinese, forEnglish) => {
    const { isRequired } = labels(policy)
    expect([await isRequired('wei', 'task', undefined), await isRequired('ada', 'task', undefined)]).toEqual([
      forChinese,
      forEnglish,
    ])
    expect(await isRequired('ada', 'task', true)).toBe(true)
  })

  it('is left out after the user has accepted the responsibility, for that video and user only', async () => {
    const { isRequired, request, requests } = labels('always')
    await expect(isRequired('wei', 'task', false)).rejects.toMatchObject({ code: 'label_required' })
    await request('wei', 'task')
    expect(requests).toEqual([[new Date(0), 'wei', 'wei@kinora.test', 'task']])
    expect(await isRequired('wei', 'task', false)).toBe(false)
    expect(await isRequired('wei', 'task', undefined)).toBe(true)
    await expect(isRequired('wei', 'other', false)).rejects.toMatchObject({ code: 'label_required' })
    await expect(isRequired('ada', 'task', false)).rejects.toMatchObject({ code: 'label_required' })
  })

  it('needs no request where there is no label', async () => {
    expect(await labels('auto').isRequired('ada', 'task', false)).toBe(false)
    await expect(labels('auto').request('nobody', 'task')).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
