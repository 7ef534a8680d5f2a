import { expect, it } from 'vitest'
import { rowsOf } from '../testing/rowsOf.ts'
import { taskEvents } from '../testing/taskEvents.ts'
import { filmOrigins } from './filmOrigin.ts'

const e = taskEvents('task', 'user')
const submitted = (more: object) => ({ ...e.submitted, data: { ...e.submitted.data, ...more } })

it.each([
  ['names no film', {}, []],
  ['names one', { from: { taskId: 'film', as: 'extend' } }, [['film', 'extend']]],
  ['makes a film again', { source: { taskId: 'film', jobId: 'job' } }, [['film', 'finer']]],
])('an order that %s has its origin until it is deleted', (_, more, origins) => {
  const rows = rowsOf(filmOrigins, submitted(more)) as { parent_id: string; made_as: string }[]
  expect(rows.map(({ parent_id, made_as }) => [parent_id, made_as])).toEqual(origins)
  expect(rowsOf(filmOrigins, submitted(more), e.deleted)).toEqual([])
})
