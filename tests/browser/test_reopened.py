"""A notebook reopened without its kernel says what to do; while there is a form, it does not."""


def test_a_form_whose_kernel_is_gone_leaves_a_sentence_that_says_what_to_do(sit_down, lab):
    desk = sit_down("stem-sentences", 2)
    sentence = desk.page.get_by_text("Run this cell and those above it again")
    assert not sentence.is_visible()
    desk.press("1").wait_for_state("saved").save_notebook()
    desk.page.wait_for_timeout(1000)
    lab.end_kernels()
    desk.open(run=False)
    sentence.wait_for()
    desk.picture("reopened")
    desk.errors.clear()  # Lab's own, about the model it did not find
    desk.run()
    assert desk.at() == ("accuracy", 2)
    assert not sentence.is_visible()


def test_a_form_that_comes_back_to_a_living_kernel_hides_the_sentence(sit_down):
    desk = sit_down("stem-sentences", 2)
    desk.save_notebook()
    desk.page.reload()
    desk.ready()
    desk.form.locator(".rb-card").wait_for()
    assert not desk.page.get_by_text("Run this cell and those above it again").is_visible()
