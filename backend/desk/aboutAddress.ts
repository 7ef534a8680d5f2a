/** Which text a ciphertext holds: the new address of an action. */
export const aboutAddress = (userId: string, actionId: string) => ({ purpose: 'new address', userId, row: actionId })
