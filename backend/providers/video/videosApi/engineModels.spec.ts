import { expect, it } from 'vitest'
import { modelsOf } from './engineModels.ts'
import { offeredModels } from './engineProfile.ts'

const named = (...names: string[]) =>
  modelsOf(
    offeredModels(
      names.map((id) => ({ id })),
      undefined,
    ).offered,
  )

it.each([
  ['Wan-AI/Wan2.2-T2V-A14B-Diffusers', ['text_to_video']],
  ['Wan-AI/Wan2.2-I2V-A14B-Diffusers', ['image_to_video']],
  ['Wan-AI/Wan2.2-TI2V-5B-Diffusers', ['text_to_video', 'image_to_video']],
  ['MiniMax-H3', ['text_to_video', 'image_to_video']],
])('the model %s offers %j', (name, taskTypes) => {
  const [model] = named(name)
  expect([model!.shapes[0]!.taskTypes, model!.inputs.firstFrame]).toEqual([
    taskTypes,
    taskTypes.includes('image_to_video'),
  ])
})

it('a name that does not fit the catalogue is left out', () => expect(named('<script> t2v', '')).toEqual([]))
