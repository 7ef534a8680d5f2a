import { Migration } from '@mikro-orm/migrations'

/** Sockets belong to a session, and a password change revokes the cookies of known devices. */
export class M0110Sessions extends Migration {
  override up(): void {
    this.addSql('alter table socket_token add column session_id uuid')
    this.addSql('alter table user_account add column password_changed_at timestamptz')
  }
}
