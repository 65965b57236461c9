// What Label Studio writes (fixtures in its formats) becomes answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../message_of.h"
#include "assay/mad/questions.h"
#include "mad/answer_readers.h"
#include "small_competition.h"

namespace assay::mad {
namespace {

using questions_test::SmallCompetition;
TEST(MadLabelStudio, Print) {
    SmallCompetition small{3};
    small.select(6);
    ask_questions(*small);
    for (auto& q : open_questions(*small)) std::printf("Q|%s|%s|%s|%s\n", q.token.c_str(), q.image.c_str(), q.label.c_str(), q.label_name.c_str());
}
}
}
