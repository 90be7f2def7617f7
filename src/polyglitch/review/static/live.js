// A run that goes on: asks every two seconds what is new, and stops once it is done.
const place = document.getElementById("live");
const isDone = () => place.querySelector("[data-done]")?.dataset.done === "yes";
const look = async () => {
  if (isDone()) return;
  try {
    const response = await fetch(document.body.dataset.live, { credentials: "same-origin" });
    if (response.ok) place.innerHTML = await response.text(); // escaped by the server
  } catch {
    // The server is away for a moment, or for good: what was seen stays.
  }
  setTimeout(look, 2000);
};
setTimeout(look, 2000);
document.body.dataset.ready = "true";
