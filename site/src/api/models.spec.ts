import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ModelFile } from '#backend/tasks/contract.ts'
import { $models } from './models.ts'

it('the models of the form until the catalogue is loaded are those of the files', () => {
  const files = $models.get().map(({ cancels: _, engines: __, ...file }) => file)
  expect(files).toHaveLength(4)
  expect(files).toEqual(files.map((file) => expect.objectContaining(z.parse(ModelFile, file))))
})
