import { atom } from 'nanostores'
import { listTeams, type Team } from '#backend/teams/contract.ts'
import { call } from './api.ts'

/** The user's teams, the own one first, and whether one can be created; null while loading. */
export const $teams = atom<Readonly<{ teams: readonly Team[]; can_create: boolean }> | 'failed' | null>(null)

export const loadTeams = (): Promise<void> =>
  call(listTeams).then(
    (answer) => $teams.set(answer),
    () => {
      if (typeof $teams.get() !== 'object' || !$teams.get()) $teams.set('failed')
    },
  )

/** Returns the teams that are known. */
export const knownTeams = (state: ReturnType<typeof $teams.get>): readonly Team[] =>
  state && state !== 'failed' ? state.teams : []

/** Shows the balance of a team that others have changed. */
export function setTeamBalance(id: string, credits_remaining: number): void {
  const state = $teams.get()
  if (!state || state === 'failed') return
  $teams.set({ ...state, teams: state.teams.map((team) => (team.id === id ? { ...team, credits_remaining } : team)) })
}
