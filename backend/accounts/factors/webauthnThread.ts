import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type VerifyAuthenticationResponseOpts,
  type VerifyRegistrationResponseOpts,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { type Ask, answerCalls } from '../../kernel/threads/answerCalls.ts'

type Unasked<T> = Omit<T, 'expectedChallenge'>

/** Asks whether a challenge was issued, which only the main thread knows. */
const expecting = (ask: Ask) => ({ expectedChallenge: async (challenge: string) => Boolean(await ask(challenge)) })

const functions = {
  registrationOptions: generateRegistrationOptions,
  authenticationOptions: generateAuthenticationOptions,
  verifyRegistration: (answer: Unasked<VerifyRegistrationResponseOpts>, ask: Ask) =>
    verifyRegistrationResponse({ ...answer, ...expecting(ask) }),
  verifyAuthentication: (answer: Unasked<VerifyAuthenticationResponseOpts>, ask: Ask) =>
    verifyAuthenticationResponse({ ...answer, ...expecting(ask) }),
}

export type WebauthnFunctions = typeof functions

answerCalls(functions)
