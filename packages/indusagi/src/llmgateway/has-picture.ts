import type { Message } from "./contract.ts";

/** Whether there is a picture in what a message says or shows. */
export function hasPicture(message: Message): boolean {
  if (message.role === "tool") return message.images !== undefined && message.images.length > 0;
  return message.role === "user" && message.content.some(({ kind }) => kind === "image");
}
