import { describe, expect, it } from 'vitest'
import { MOVEMENT_KEYS, type MovementKey } from '../../../media/movements.ts'
import { AXES, chooseMovement, poseAt, REST } from './pose.ts'

const chosen = (...keys: MovementKey[]) => keys.reduce<MovementKey[]>((list, key) => chooseMovement(list, key), [])

describe('choosing camera movements', () => {
  it('replaces the opposite, drops the oldest of four, and removes a movement that is chosen again', () => {
    expect(chosen('panLeft', 'pushIn', 'panRight')).toEqual(['pushIn', 'panRight'])
    expect(chosen('panLeft', 'pushIn', 'tiltUp', 'shake')).toEqual(['pushIn', 'tiltUp', 'shake'])
    expect(chosen('panLeft', 'panLeft')).toEqual([])
  })

  it('keeps a fixed camera alone', () => {
    expect(chosen('panLeft', 'pushIn', 'fixed')).toEqual(['fixed'])
    expect(chosen('fixed', 'zoomIn')).toEqual(['zoomIn'])
  })
})

describe('the pose', () => {
  it('changes under every movement but fixed, and opposites end where the other starts', () => {
    for (const key of MOVEMENT_KEYS) {
      const moves = JSON.stringify(poseAt([key], 0, 0)) !== JSON.stringify(poseAt([key], 1, 0.1))
      expect([key, moves]).toEqual([key, key !== 'fixed'])
    }
    const opposites = MOVEMENT_KEYS.filter((key) => AXES[key][1] > 0)
    for (const key of opposites) {
      const [axis] = AXES[key]
      const other = MOVEMENT_KEYS.find((each) => AXES[each][0] === axis && each !== key)!
      expect(poseAt([key], 0, 0)).toEqual(poseAt([other], 1, 0))
    }
    expect(poseAt([], 0.5, 0)).toEqual(REST)
  })
})
