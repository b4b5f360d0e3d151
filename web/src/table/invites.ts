// Invitations to the free seats of tables opened in this browser, until it is closed.

type Invites = Record<string, string>

export function keepInvites(table: string, invites: Invites): void {
  try {
    sessionStorage.setItem(`spielwerk.invites.${table}`, JSON.stringify(invites))
  } catch {
    return
  }
}

export function invitesOf(table: string): Invites {
  try {
    return JSON.parse(sessionStorage.getItem(`spielwerk.invites.${table}`) ?? '{}') as Invites
  } catch {
    return {}
  }
}

/** The fragment is never sent to a server, so invitations do not end up in logs. */
export function inviteLink(table: string, invite: string): string {
  return `${location.origin}/t/${table}#invite=${encodeURIComponent(invite)}`
}

export function inviteIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('invite')
}
