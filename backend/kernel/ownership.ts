declare const checked: unique symbol

/**
 * A value that was found to belong to the caller. What acts on such a value takes only this type, so that no route can
 * forget the check. The check itself makes it with {@link asOwned}.
 * @example async cancel(task: Owned<TaskRow>) // works.readOwn(userId, id) returns one
 */
export type Owned<T> = T & { readonly [checked]: true }

/** Marks a value as checked. To be called where the owner was compared with the caller, and nowhere else. */
export const asOwned = <T>(value: T): Owned<T> => value as Owned<T>
